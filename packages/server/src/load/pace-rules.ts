import type { SeenTurns } from './turn-watch.ts'

/** What happened in one stretch of time, with regard to how fast requests come in. */
export interface PaceWindow extends SeenTurns {
  elapsedMs: number
  letIn: number
  /** How many of those let in get done in each millisecond, as a rule of late. */
  donePerMs: number
  /** Whether some were not let in. */
  wasShort: boolean
  /** Requests in hand, as a share of what is a crowd. A slow machine has long turns for a few, too. */
  crowding: number
}

export const NO_LIMIT = Number.POSITIVE_INFINITY
export const WINDOW_MS = 100
/** In each turn the system hands over one new connection, and whatever is under way gets one step further. */
const TURN_MS = 4
/** A turn that is long for another reason, such as a collection of the heap, leaves the rest of its window idle. */
const BUSY_SHARE = 0.75
/** Whatever made it too much is over: as a rule many came at once, and their like may come at once again. */
const IDLE_SHARE = 0.5
/** Of what gets done, while it is too much: what is under way has to become less, and soon. */
const MOST_LET_IN = 0.95
const LEAST_LET_IN = 0.7
/** At first little gets done, whatever can be: executions end some time after they were let in. */
const MOST_CUT = 0.5
const GROWTH = 1.06
/** While there is nothing else to do than what is let in, that keeps to what gets done. */
const CAREFUL_GROWTH = 1.03
const MOST_AHEAD = 1.2
const LEAST_PER_MS = 0.05
/** More than a server takes: no need to count any longer. */
const MOST_PER_MS = 100

/** Whether the event loop had more to do than it should. */
export function isTooMuch(window: PaceWindow): boolean {
  return window.crowding >= 1 && window.turnMs > TURN_MS && isBusy(window)
}

function isBusy({ elapsedMs, busyMs }: PaceWindow): boolean {
  return busyMs > elapsedMs * BUSY_SHARE
}

/**
 * How many requests may come in each millisecond where it has been too much. What gets done does not become less while
 * there is plenty to do: so the rate stays near what the service can do, and does not swing.
 */
export function lowered(rate: number, { elapsedMs, letIn, donePerMs, turnMs }: PaceWindow): number {
  const cameIn = Math.min(rate, letIn / elapsedMs)
  const share = Math.min(MOST_LET_IN, Math.max(LEAST_LET_IN, TURN_MS / turnMs))
  return Math.max(LEAST_PER_MS, cameIn * MOST_CUT, Math.min(rate, donePerMs * share))
}

/** How many may where it has not been too much: slowly more, until there is no limit. None where half of the time is left. */
export function raised(rate: number, window: PaceWindow): number {
  const { elapsedMs, donePerMs, turnMs, wasShort, busyMs } = window
  if (busyMs < elapsedMs * IDLE_SHARE) return NO_LIMIT
  const windows = elapsedMs / WINDOW_MS
  if (!isBusy(window)) return unlimited(Math.max(rate * GROWTH ** windows, donePerMs * MOST_CUT))
  if (!wasShort) return unlimited(rate * GROWTH ** windows)
  const careful = rate * CAREFUL_GROWTH ** windows
  // Nearly too much: as many as get done, and a few more, since no more get done than are let in.
  if (turnMs > TURN_MS / 2) return Math.max(LEAST_PER_MS, Math.min(careful, donePerMs * CAREFUL_GROWTH))
  return unlimited(Math.max(rate, Math.min(careful, donePerMs * MOST_AHEAD)))
}

function unlimited(rate: number): number {
  return rate > MOST_PER_MS ? NO_LIMIT : rate
}
