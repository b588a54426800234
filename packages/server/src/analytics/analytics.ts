import type { AnalyticsSummary } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { requireProject } from '../projects/projects.ts'
import { requireRuntime } from '../runtimes/runtimes.ts'
import { TIERS } from '../usage/tiers.ts'
import { bucketsOf, type Range, type RangeRequest, resolveRange, stretchesOf } from './range-rules.ts'
import { type SummedPart, sumRollups } from './store.ts'
import { addSums, type Counted, noSums, type Sums, summarize } from './summary-rules.ts'

export interface SummaryRequest extends Pick<RangeRequest, 'from' | 'to' | 'bucket'> {
  projectId?: string | undefined
  runtimeId?: string | undefined
}

/**
 * What the owner's executions came to, by the time at which they started; those still under way are not in it. Throws 400
 * for a range that cannot be shown, and 404 for a filter by somebody else's project or runtime.
 */
export async function summaryOf(
  deps: Pick<Deps, 'db' | 'clock' | 'folding'>,
  owner: Owner,
  request: SummaryRequest,
): Promise<AnalyticsSummary> {
  const { projectId, runtimeId } = request
  const range = rangeFor(deps, owner, request)
  if (projectId !== undefined) await requireProject(deps, owner, projectId)
  if (runtimeId !== undefined) await requireRuntime(deps, owner, runtimeId)
  const filter = { range, stretches: stretchesOf(range), projectId, runtimeId }
  await deps.folding.catchUp()
  const counted = countedOf(await sumRollups(deps.db, owner.ownerId, filter))
  return {
    range: { ...range, from: isoTime(range.from), to: isoTime(range.to) },
    ...summarize(counted, bucketsOf(range), isoTime),
  }
}

function rangeFor(deps: Pick<Deps, 'clock'>, owner: Owner, { from, to, bucket }: SummaryRequest): Range {
  const { analyticsDays } = TIERS[owner.tier]
  const resolved = resolveRange({ from, to, bucket, now: deps.clock.now(), analyticsDays })
  if ('faults' in resolved) throw invalid(resolved.faults)
  return resolved.range
}

function countedOf(parts: readonly SummedPart[]): Counted {
  const counted = {
    series: new Map<number, Sums>(),
    runtimes: new Map<string, Sums>(),
    capabilities: new Map<string, Sums>(),
  }
  for (const part of parts) {
    switch (part.kind) {
      case 'series':
        addTo(counted.series, part.at, part.sums)
        break
      case 'runtime':
        addTo(counted.runtimes, part.name, part.sums)
        break
      case 'capability':
        addTo(counted.capabilities, part.name, part.sums)
        break
      default:
        part.kind satisfies never
    }
  }
  return counted
}

function addTo<Key>(counted: Map<Key, Sums>, key: Key, sums: Sums): void {
  const total = counted.get(key) ?? noSums()
  counted.set(key, total)
  addSums(total, sums)
}
