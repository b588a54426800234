import { sweepSessions } from '../accounts/sessions.ts'
import { AGGREGATION_MS } from '../analytics/aggregation.ts'
import { APPROVAL_SWEEP_MS, sweepApprovals } from '../approvals/sweep-approvals.ts'
import { deleteOldKeys } from '../executions/idempotency-store.ts'
import { RENEWAL_MS } from '../executions/node-lease.ts'
import { createReconciler, RECONCILE_MS } from '../executions/reconcile.ts'
import { createRetentionSweep, RETENTION_SWEEP_MS } from '../executions/retention.ts'
import { limitTime } from '../lib/limit-time.ts'
import { type RepeatedWork, repeatWork } from '../lib/repeated-work.ts'
import { isOutage } from '../store/errors.ts'
import { SAMPLE_MS } from '../store/storage-room.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import type { JobDeps } from './deps.ts'

/** Milliseconds from one run of a job to the next. */
export interface JobTimes {
  renewalMs?: number
  /** How long a renewal waits for unwritten outcomes before it fails interrupted executions. */
  retryWaitMs?: number
  retentionMs?: number
  approvalsMs?: number
  aggregateMs?: number
  reconcileMs?: number
  sampleMs?: number
}

export interface BackgroundJobs {
  renewing: RepeatedWork
  aggregating: RepeatedWork
  /** Ends between two deletions, and ends questions about calls. */
  sweeping: Pick<RepeatedWork, 'stop'>
}

// Without a lease no execution is admitted: a database that was away is often back before the next regular renewal.
const RENEWAL_RETRY_MS = 1_000
// Less than the time between two renewals.
const RETRY_WAIT_MS = 5_000

/** Starts the jobs, all but the renewal immediately: an earlier process may have been killed or stopped early. */
export function startJobs(deps: JobDeps, times: JobTimes): BackgroundJobs {
  const {
    renewalMs = RENEWAL_MS,
    retentionMs = RETENTION_SWEEP_MS,
    approvalsMs = APPROVAL_SWEEP_MS,
    aggregateMs = AGGREGATION_MS,
    sampleMs = SAMPLE_MS,
    reconcileMs = RECONCILE_MS,
  } = times
  const { retryWaitMs = RETRY_WAIT_MS } = times
  const { room, logger } = deps
  const retention = createRetentionSweep(deps)
  const renewing = repeatWork({ everyMs: renewalMs, retryMs: RENEWAL_RETRY_MS }, () => renew(deps, retryWaitMs))
  const aggregating = repeatWork({ everyMs: aggregateMs }, () => aggregateUsage(deps))
  const sampling = repeatWork({ everyMs: sampleMs }, () =>
    attempt(
      deps,
      () => room.sample(),
      (err) => logger.error({ err }, 'the free disk space could not be read'),
    ),
  )
  // Together, so that a failure of one does not keep the other from its work.
  const sweep = () => {
    const keys = deleteOldKeys(deps.db, deps.clock.now())
    return Promise.all([sweepSessions(deps), retention.run(), keys])
  }
  const sweeping = repeatWork({ everyMs: retentionMs }, () =>
    attempt(deps, sweep, (err) => logger.error({ err }, 'data past its retention could not be deleted'), 'retention'),
  )
  const expiring = repeatWork({ everyMs: approvalsMs }, () => expireApprovals(deps))
  const reconciler = createReconciler(deps)
  const notAsked = (err: unknown) => logger.error({ err }, 'due questions about calls could not be read')
  const reconciling = repeatWork({ everyMs: reconcileMs }, () =>
    attempt(deps, () => reconciler.begin(), notAsked, 'questions'),
  )
  for (const job of [sampling, aggregating, sweeping, expiring, reconciling]) job.begin()
  const stop = async () => {
    const asking = reconciling.stop().then(() => reconciler.stop())
    await Promise.all([sweeping.stop(), expiring.stop(), sampling.stop(), retention.stop(), asking])
  }
  return { renewing, aggregating, sweeping: { stop } }
}

function expireApprovals(deps: JobDeps): Promise<boolean> {
  const notEnded = (err: unknown) => deps.logger.error({ err }, 'approvals whose time is up could not be ended')
  return attempt(deps, () => sweepApprovals(deps), notEnded, 'approvals')
}

async function renew(deps: JobDeps, retryWaitMs: number): Promise<boolean> {
  const { databaseClock, lease, settlements, streams, metrics, logger } = deps
  streams.sweep()
  const takeLease = async () => {
    await databaseClock.synchronize()
    await lease.renew()
  }
  const notRenewed = (err: unknown) => logger.error({ err }, 'the lease could not be renewed')
  if (!(await attempt(deps, takeLease, notRenewed, 'renewals'))) {
    metrics.databaseFailed('lease')
    metrics.leaseRenewed('failed')
    return false
  }
  // Before the sweep, which then mostly has nothing to spare. Executions of other nodes cannot wait for as long as a
  // database may take.
  await limitTime(settlements.retryFailed(), retryWaitMs, undefined)
  // The renewal has succeeded: what fails here is tried again at the next one.
  const sweep = () => lease.sweep({ sparesOwn: settlements.unwritten > 0 })
  const notSwept = (err: unknown) => logger.error({ err }, 'interrupted executions could not be failed')
  if (!(await attempt(deps, sweep, notSwept, 'sweeps'))) metrics.databaseFailed('sweep')
  return true
}

/** Adds ended executions to the counters of usage. */
export function aggregateUsage(deps: Pick<JobDeps, 'aggregation' | 'logger' | 'outages'>): Promise<boolean> {
  const { aggregation, logger } = deps
  const notAdded = (err: unknown) => logger.error({ err }, 'usage could not be added to its counters')
  return attempt(deps, () => aggregation.catchUp(), notAdded, 'usage')
}

/** Runs one job. An outage is logged under its place, any other failure by `onFailure`. False where the job failed. */
async function attempt(
  { outages }: Pick<JobDeps, 'outages'>,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
  place?: Parameters<OutageLog['note']>[0],
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (place && isOutage(error)) outages.note(place, error)
    else onFailure(error)
    return false
  }
}
