import { Stop, type StopSignal, unlessStopped } from '../lib/stop-signal.ts'
import { CommitUnknownError, DatabaseError, isConnectionFault } from './errors.ts'

export type Pause = (ms: number) => Promise<unknown>

export interface Try {
  /** Call it right before the commit. Throws where the attempt was abandoned, so that it never commits. */
  commit(): void
}

// 6.7 s: long enough for a database that restarts, short enough for a caller who waits.
const PAUSES_MS = [50, 150, 500, 1_000, 2_000, 3_000]

/** How long a try may still take after `ending`. */
const LAST_MS = 1_000

/**
 * Retries idempotent work while connections to the database fail. Throws any other error at once, and the last one in the
 * end. After `ending` the current or next try is the last one, and is abandoned after one second.
 */
export async function retryConnectionFaults<T>(
  pause: Pause,
  work: (attempt: Try) => Promise<T>,
  ending: StopSignal = new Stop(),
): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await tryOnce(pause, work, ending)
    } catch (error) {
      if (!isConnectionFault(error) || ending.aborted) throw error
    }
    await unlessStopped(pause(pauseMs), ending)
  }
  return tryOnce(pause, work, ending)
}

/** Throws a {@link CommitUnknownError} where a try is abandoned after it called `commit`. */
async function tryOnce<T>(pause: Pause, work: (attempt: Try) => Promise<T>, ending: StopSignal): Promise<T> {
  const state = { isCommitting: false, isAbandoned: false }
  const commit = () => {
    if (state.isAbandoned) throw new Error('this transaction was abandoned')
    state.isCommitting = true
  }
  const ended = work({ commit }).then((answer) => ({ answer }))
  const inTime = (await unlessStopped(ended, ending)) ?? (await Promise.race([ended, pause(LAST_MS).then(() => null)]))
  if (inTime) return inTime.answer
  const late = new DatabaseError({ code: '08006', message: 'the service stops, and the database does not answer' })
  if (state.isCommitting) throw new CommitUnknownError(late)
  state.isAbandoned = true
  throw late
}
