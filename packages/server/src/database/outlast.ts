import { Stop, type StopSignal, unlessStopped } from '../lib/stop-signal.ts'
import { CommitUnknownError, DatabaseError, isConnectionFault } from './errors.ts'

export type Pause = (ms: number) => Promise<unknown>

/** One of several tries of the same work. */
export interface Try {
  /** To be called right before a commit that must not take place once the try was given up. Throws where it was. */
  commit(): void
}

// Long enough for a database that restarts, short enough for a caller who waits.
const PAUSES_MS = [50, 150, 500, 1_000, 2_000, 3_000]

// Nobody of a batch would fare better alone.
const CONNECTION_FAILURE = '08006'

// What a try under way still has once it is told to hurry.
const LAST_MS = 1_000

/**
 * Repeats work that may be done more than once while connections to the database fail, for about seven seconds and what
 * the tries take. Throws at once what another connection would not mend, and in the end what was met last. Once `hurry`
 * says so, a try that is under way has one more second, and what waits for the next one has that, and no further.
 */
export async function outlast<T>(
  pause: Pause,
  work: (attempt: Try) => Promise<T>,
  hurry: StopSignal = new Stop(),
): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await unlessLate(pause, work, hurry)
    } catch (error) {
      if (!isConnectionFault(error) || hurry.aborted) throw error
    }
    await unlessStopped(pause(pauseMs), hurry)
  }
  return unlessLate(pause, work, hurry)
}

/**
 * Gives a try up that does not end. Work that calls `commit` and is not at it never commits any more; while it is, nothing
 * is known. Work that does not call it may still take place.
 */
async function unlessLate<T>(pause: Pause, work: (attempt: Try) => Promise<T>, hurry: StopSignal): Promise<T> {
  const state = { isCommitting: false, isGivenUp: false }
  const commit = () => {
    if (state.isGivenUp) throw new Error('nobody waits for this transaction any more')
    state.isCommitting = true
  }
  const ended = work({ commit }).then((answer) => ({ answer }))
  const inTime = (await unlessStopped(ended, hurry)) ?? (await Promise.race([ended, pause(LAST_MS).then(() => null)]))
  if (inTime) return inTime.answer
  const late = new DatabaseError({
    code: CONNECTION_FAILURE,
    message: 'the service stops, and the database is silent',
  })
  if (state.isCommitting) throw new CommitUnknownError(late)
  state.isGivenUp = true
  throw late
}
