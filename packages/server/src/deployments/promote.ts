import type { PromotedDeployment, TrafficCounts, TrafficReport } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { AnalyticsDeps } from '../analytics/deps.ts'
import { invalidField, limited, notFound, nothingToPromote } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { frozenOf } from '../runtimes/rules.ts'
import { type RuntimeIdentity, requireRuntime } from '../runtimes/runtimes.ts'
import type { CandidateCounts } from '../usage/candidate-counts-rules.ts'
import { percentile } from '../usage/histogram.ts'
import { perHour, take } from '../usage/token-bucket.js'
import { findCandidate, readCounts } from './candidate-store.ts'
import type { DeploymentDeps } from './deps.ts'
import { type PromotedVersion, promoteDeployment, rollbackOf, type ServingState } from './promotion-store.ts'

export type { PromotedVersion }

/**
 * Makes a deployment the stable one, or with `traffic` the candidate with this share. Throws 404 where there is none. Never
 * asks for room on the disk: a rollback takes hardly any, and must not be refused.
 */
export async function promote(
  deps: Pick<DeploymentDeps, 'db' | 'clock' | 'newId' | 'limits'>,
  { ownerId, runtimeId }: RuntimeIdentity,
  { version: asked, traffic = null }: { version: PromotedVersion; traffic?: number | null | undefined },
): Promise<PromotedDeployment> {
  const serving = { ownerId, runtimeId, version: asked, traffic, now: deps.clock.now() }
  const takePromotion = hourlyLimit(deps, 'This account has promoted as often as it may within an hour.')
  const options = { requireShare: shareCheck(traffic), takePromotion, newEventId: () => deps.newId('delivery') }
  const version = await promoteDeployment(deps.db, serving, options)
  if (version === null) throw typeof asked === 'number' ? notFound('The deployment') : nothingToPromote(asked)
  return { version, status: traffic === null ? 'active' : 'candidate' }
}

/** Takes one from the token bucket of an hour's deployments or promotions. Throws 429 with this message where it is empty. */
export function hourlyLimit({ limits, clock }: Pick<DeploymentDeps, 'limits' | 'clock'>, message: string) {
  const { deploymentsPerHour: most } = limits
  return (fullAt: number): number => {
    const taken = take(fullAt, perHour(most, most), clock.now())
    if (!taken.ok) throw limited(message, taken.retryAfterMs)
    return taken.fullAt
  }
}

/** A check that throws 400 where a deployment cannot be the candidate with this share, or, with null, the stable one. */
export function shareCheck(traffic: number | null) {
  return ({ serving_version: serving }: ServingState, version: number, isFrozen = false): void => {
    if (traffic === null) {
      if (isFrozen) throw invalidField('version', frozenProblem(version))
      return
    }
    if (version === serving) throw invalidField('traffic', IS_STABLE)
    if (serving === null && traffic > 0) throw invalidField('traffic', NOTHING_BESIDE)
  }
}

const IS_STABLE =
  'is the share of a candidate, but this deployment is the stable one. Promote another one to replace it.'
const frozenProblem = (version: number) =>
  `is a candidate that was frozen. Promote it by its number, ${version}, or give it a share to start it again.`
const NOTHING_BESIDE = 'needs a stable deployment that serves the rest: promote one first.'

/** What the stable deployment and the candidate serve, with their counts since the share was set. */
export async function trafficOf(deps: AnalyticsDeps, owner: Owner, runtimeId: string): Promise<TrafficReport> {
  const { db, aggregation } = deps
  await requireRuntime({ db }, owner, runtimeId)
  await aggregation.catchUp()
  const row = await requireRuntime({ db }, owner, runtimeId)
  const candidate = await findCandidate(db, owner.ownerId, runtimeId)
  const counted = candidate && readCounts(candidate)
  const version = row.serving_version
  const traffic = 100 - (candidate?.traffic ?? 0)
  return {
    stable: version === null ? null : { version, traffic, counts: counted && toCounts(counted.stable) },
    candidate: candidate &&
      counted && {
        version: candidate.version,
        traffic: candidate.traffic,
        frozen: frozenOf(candidate),
        counts: toCounts(counted.counts),
      },
    since: candidate && isoTime(candidate.since),
    previousVersion: rollbackOf(row),
  }
}

function toCounts({ durations, ...counts }: CandidateCounts): TrafficCounts {
  const buckets = new Map(Object.entries(durations).map(([bucket, count]) => [Number(bucket), count]))
  return { ...counts, p50DurationMs: percentile(buckets, 50), p95DurationMs: percentile(buckets, 95) }
}
