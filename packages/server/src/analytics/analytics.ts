import type { AnalyticsSummary } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { goneRuntimes } from '../deletions/store.ts'
import { invalid } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { requireProject } from '../projects/projects.ts'
import { requireRuntime } from '../runtimes/runtimes.ts'
import { TIERS } from '../usage/tiers.ts'
import type { AnalyticsDeps } from './deps.ts'
import { bucketStarts, intervalsOf, type RangeRequest, resolveRange } from './range-rules.ts'
import { countFeedback, sumRollups } from './store.ts'
import { summarize } from './summary-rules.ts'

type SummaryFilter = { projectId?: string | undefined; runtimeId?: string | undefined }

/**
 * Sums of the owner's ended executions, by the time at which they started. Throws 400 for a range that cannot be shown, and
 * 404 for a filter by somebody else's project or runtime.
 */
export async function summaryOf(
  deps: AnalyticsDeps,
  owner: Owner,
  { projectId, runtimeId, ...asked }: Omit<RangeRequest, 'now' | 'analyticsDays'> & SummaryFilter,
): Promise<AnalyticsSummary> {
  const { analyticsDays } = TIERS[owner.tier]
  const resolved = resolveRange({ ...asked, now: deps.clock.now(), analyticsDays })
  if ('faults' in resolved) throw invalid(resolved.faults)
  const { range } = resolved
  if (projectId !== undefined) await requireProject(deps, owner, projectId)
  if (runtimeId !== undefined) await requireRuntime(deps, owner, runtimeId)
  await deps.aggregation.catchUp()
  const deletedRuntimes = await goneRuntimes(deps.db, owner.ownerId)
  const filter = { range, intervals: intervalsOf(range), projectId, runtimeId, deletedRuntimes }
  const [parts, thumbs] = await Promise.all([
    sumRollups(deps.db, owner.ownerId, filter),
    countFeedback(deps.db, owner.ownerId, filter),
  ])
  const { totals, ...figures } = summarize(parts, bucketStarts(range), isoTime)
  return {
    range: { ...range, from: isoTime(range.from), to: isoTime(range.to) },
    totals: { ...totals, ...thumbs },
    ...figures,
  }
}
