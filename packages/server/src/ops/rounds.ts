import { sweepSessions } from '../accounts/sessions.ts'
import { FOLD_MS } from '../analytics/folding.ts'
import { isOutage } from '../database/errors.ts'
import { SAMPLE_MS } from '../database/storage-room.ts'
import type { Deps } from '../deps.ts'
import { RENEWAL_MS } from '../executions/node-lease.ts'
import { createRetentionSweep, RETENTION_SWEEP_MS, type RetentionSweep } from '../executions/retention.ts'
import { limitTime } from '../lib/limit-time.ts'
import { type RepeatedWork, repeatWork } from '../lib/repeated-work.ts'

/** In milliseconds from one round to the next. */
export interface RoundTimes {
  renewalMs?: number
  /** How long each waits for what was kept to be written, before it fails what was interrupted. */
  patienceMs?: number
  retentionMs?: number
  foldMs?: number
  sampleMs?: number
}

/** What a server does again and again beside answering requests. */
export interface Rounds {
  renewing: RepeatedWork
  folding: RepeatedWork
  /** Ends between two deletions. */
  sweeping: Pick<RepeatedWork, 'stop'>
}

// Without a lease nobody is let in: what keeps a database from it is over sooner than the next renewal would come.
const RENEWAL_RETRY_MS = 1_000

// Ends before the next round begins, whatever becomes of what was kept.
const PATIENCE_MS = 5_000

/** Begins them, and the latter two at once: they find what a process left that was killed, or never ran for long. */
export function beginRounds(deps: Deps, times: RoundTimes): Rounds {
  const { renewalMs = RENEWAL_MS, retentionMs = RETENTION_SWEEP_MS, foldMs = FOLD_MS, patienceMs = PATIENCE_MS } = times
  const { sampleMs = SAMPLE_MS } = times
  const renewing = repeatWork({ everyMs: renewalMs, retryMs: RENEWAL_RETRY_MS }, () => renew(deps, patienceMs))
  const sampling = repeatWork({ everyMs: sampleMs }, () => sample(deps))
  const folding = repeatWork({ everyMs: foldMs }, () => fold(deps))
  const retention = createRetentionSweep(deps)
  const sweeping = repeatWork({ everyMs: retentionMs }, () => sweep(deps, retention))
  sampling.begin()
  folding.begin()
  sweeping.begin()
  const stopSweeping = async () => {
    await Promise.all([sweeping.stop(), sampling.stop(), retention.stop()])
  }
  return { renewing, folding, sweeping: { stop: stopSweeping } }
}

async function renew(deps: Deps, patienceMs: number): Promise<boolean> {
  try {
    await deps.databaseClock.synchronize()
    await deps.lease.renew()
  } catch (error) {
    deps.metrics.databaseFailed('lease')
    deps.metrics.leaseRenewed('failed')
    if (isOutage(error)) deps.outages.note('renewals', error)
    else deps.logger.error({ err: error }, 'the lease could not be renewed')
    return false
  }
  // First: as a rule nothing is kept any more then, and the sweep need spare nothing. What others left behind cannot wait
  // for as long as a database may take.
  await limitTime(deps.settlements.retryFailed(), patienceMs, undefined)
  await failInterrupted(deps)
  return true
}

// The lease is held by now: what was interrupted can wait for the next regular round.
async function failInterrupted({ lease, settlements, metrics, logger, outages }: Deps): Promise<void> {
  try {
    // After a long outage it would take for overdue what only waits to be written.
    await lease.sweep({ sparesOwn: settlements.unwritten > 0 })
  } catch (error) {
    metrics.databaseFailed('sweep')
    if (isOutage(error)) outages.note('sweeps', error)
    else logger.error({ err: error }, 'executions that nobody runs any more could not be failed')
  }
}

/** Adds what has ended to the counters of usage. */
export async function fold(deps: Pick<Deps, 'folding' | 'logger' | 'outages'>): Promise<boolean> {
  try {
    await deps.folding.fold()
    return true
  } catch (error) {
    if (isOutage(error)) deps.outages.note('usage', error)
    else deps.logger.error({ err: error }, 'usage could not be added to its counters')
    return false
  }
}

async function sample({ room, logger }: Deps): Promise<boolean> {
  try {
    await room.sample()
    return true
  } catch (error) {
    logger.error({ err: error }, 'the room on the disk could not be read')
    return false
  }
}

async function sweep(deps: Deps, retention: RetentionSweep): Promise<boolean> {
  try {
    // Together, so that a fault of one does not keep the other from its work.
    await Promise.all([sweepSessions(deps), retention.run()])
    return true
  } catch (error) {
    if (isOutage(error)) deps.outages.note('retention', error)
    else deps.logger.error({ err: error }, 'what is past its retention could not be deleted')
    return false
  }
}
