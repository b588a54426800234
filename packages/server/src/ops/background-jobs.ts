import { sweepSessions } from '../accounts/sessions.ts'
import { AGGREGATION_MS } from '../analytics/aggregation.ts'
import { APPROVAL_SWEEP_MS, sweepApprovals } from '../approvals/sweep-approvals.ts'
import { stopDeleted } from '../deletions/deletions.ts'
import { STOP_MS, SWEEP_MS } from '../deletions/rules.ts'
import { createDeletionSweep } from '../deletions/sweep.ts'
import { deleteExpiredIdempotencyKeys } from '../executions/idempotency-store.ts'
import { RENEWAL_MS } from '../executions/node-lease.ts'
import { createReconciler, RECONCILE_MS } from '../executions/reconcile.ts'
import { createRetentionSweep, RETENTION_SWEEP_MS } from '../executions/retention.ts'
import { limitTime } from '../lib/limit-time.ts'
import { repeatWork } from '../lib/repeated-work.ts'
import { SAMPLE_MS } from '../store/disk-space.ts'
import { isOutage } from '../store/errors.ts'
import type { OutagePlace } from '../telemetry/outage-log.ts'
import { createDeliveries, DELIVERY_MS } from '../webhooks/deliver.ts'
import { alertQuotas, QUOTA_ALERT_MS } from '../webhooks/quota-alerts.ts'
import type { JobDeps } from './deps.ts'

/** Milliseconds from one run of a job to the next. */
export interface JobTimes {
  renewalMs?: number
  /** How long a renewal waits for unwritten outcomes before it fails interrupted executions. */
  retryWaitMs?: number
  retentionMs?: number
  approvalsMs?: number
  aggregateMs?: number
}

// Without a lease no execution is admitted: a database that was away is often back before the next regular renewal.
const RENEWAL_RETRY_MS = 1_000
// Less than the time between two renewals.
const RETRY_WAIT_MS = 5_000

/** Starts the jobs, all but the renewal immediately: an earlier process may have been killed or stopped early. */
export function startJobs(deps: JobDeps, times: JobTimes) {
  const { renewalMs = RENEWAL_MS, retryWaitMs = RETRY_WAIT_MS, approvalsMs = APPROVAL_SWEEP_MS } = times
  const { retentionMs = RETENTION_SWEEP_MS, aggregateMs = AGGREGATION_MS } = times
  const retention = createRetentionSweep(deps)
  const reconciler = createReconciler(deps)
  const deliveries = createDeliveries(deps)
  const deletions = createDeletionSweep(deps)
  // Concurrently: a failure of one does not stop the others.
  const sweep = () => {
    const keys = deleteExpiredIdempotencyKeys(deps.db, deps.clock.now())
    return Promise.all([sweepSessions(deps), retention.run(), keys])
  }
  const renewing = repeatWork({ everyMs: renewalMs, retryMs: RENEWAL_RETRY_MS }, () => renew(deps, retryWaitMs))
  const aggregating = repeatWork({ everyMs: aggregateMs }, () => aggregateUsage(deps))
  const repeat = (everyMs: number, problem: string, work: () => Promise<unknown>, place?: OutagePlace) =>
    repeatWork({ everyMs }, () => attempt(deps, work, problem, place))
  const { diskSpace } = deps
  const reconciling = repeat(RECONCILE_MS, 'due questions about calls could not be read', reconciler.begin, 'questions')
  const delivering = repeat(DELIVERY_MS, 'due events for webhooks could not be read', deliveries.begin, 'webhooks')
  const jobs = [
    repeat(SAMPLE_MS, 'the free disk space could not be read', () => diskSpace.sample()),
    repeat(retentionMs, 'data past its retention could not be deleted', sweep, 'retention'),
    repeat(approvalsMs, 'approvals whose time is up could not be ended', () => sweepApprovals(deps), 'approvals'),
    repeat(QUOTA_ALERT_MS, 'the use of quotas could not be read', () => alertQuotas(deps), 'webhooks'),
    repeat(STOP_MS, 'executions of deleted runtimes could not be stopped', () => stopDeleted(deps), 'retention'),
    repeat(SWEEP_MS, 'what is left of deletions could not be deleted', deletions.run, 'retention'),
  ]
  for (const job of [aggregating, reconciling, delivering, ...jobs]) job.begin()
  /** Stops between two deletions, and cancels questions about calls and deliveries. */
  const stop = async () => {
    const asking = reconciling.stop().then(() => reconciler.stop())
    const sending = delivering.stop().then(() => deliveries.stop())
    await Promise.all([...jobs.map((job) => job.stop()), retention.stop(), deletions.stop(), asking, sending])
  }
  return { renewing, aggregating, sweeping: { stop } }
}

async function renew(deps: JobDeps, retryWaitMs: number): Promise<boolean> {
  const { databaseClock, lease, settlements, streams, metrics } = deps
  streams.sweep()
  const takeLease = async () => {
    await databaseClock.synchronize()
    await lease.renew()
  }
  if (!(await attempt(deps, takeLease, 'the lease could not be renewed', 'renewals'))) {
    metrics.databaseFailed('lease')
    metrics.leaseRenewed('failed')
    return false
  }
  // Before the sweep, so that it rarely has to leave out executions of this node. The time is limited: executions of other
  // nodes must not wait for a slow database.
  await limitTime(settlements.retryQueued(), retryWaitMs, undefined)
  // The renewal has succeeded: what fails here is tried again at the next one.
  const sweep = () => lease.sweep({ sparesOwn: settlements.unwritten > 0 })
  const isSwept = await attempt(deps, sweep, 'interrupted executions could not be failed', 'sweeps')
  if (!isSwept) metrics.databaseFailed('sweep')
  return true
}

export function aggregateUsage(deps: Pick<JobDeps, 'aggregation' | 'logger' | 'outages'>): Promise<boolean> {
  return attempt(deps, () => deps.aggregation.catchUp(), 'usage could not be added to its counters', 'usage')
}

/** Runs one job; false where it failed. An outage is counted under `place`, any other failure is logged as `problem`. */
async function attempt(
  { logger, outages }: Pick<JobDeps, 'logger' | 'outages'>,
  work: () => Promise<unknown>,
  problem: string,
  place?: OutagePlace,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (err) {
    if (place && isOutage(err)) outages.note(place, err)
    else logger.error({ err }, problem)
    return false
  }
}
