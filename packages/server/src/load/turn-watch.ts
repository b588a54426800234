import type { Clock } from '../clock.ts'

export interface TurnWatchOptions {
  /** One that nobody sets: a clock that is put forward would tell of time in which nothing happened. */
  clock: Clock
  /** Resolves when all that came with this turn of the event loop has been done. */
  turnEnd: () => Promise<void>
  /** Processor time that this process has taken so far, in milliseconds. */
  processorMs: () => number
  /** For how long the event loop has not been idle so far, in milliseconds. */
  activeMs: () => number
}

/** What turns of the event loop are about in which something came. */
export interface TurnWatch {
  /** Something came in this turn. Whether it is the first: then all turns before it are over. */
  note(): boolean
  /** What was seen of the turns that are over; it is forgotten. */
  take(): SeenTurns
}

export interface SeenTurns {
  /** What was done in a turn, as processor time: the mean over time, so that long ones weigh more; 0 where there was none. */
  turnMs: number
  /** For how long the event loop was not idle. */
  busyMs: number
}

export function createTurnWatch({ clock, turnEnd, processorMs, activeMs }: TurnWatchOptions): TurnWatch {
  let isNoted = false
  let [sum, squares, activeAt] = [0, 0, activeMs()]
  return {
    note() {
      if (isNoted) return false
      isNoted = true
      const now = clock.now()
      const before = processorMs()
      void turnEnd().then(() => {
        isNoted = false
        const tookMs = clock.now() - now
        // Other threads of ours, on processors of their own, make no turn longer.
        const workedMs = Math.min(tookMs, processorMs() - before)
        sum += workedMs
        squares += workedMs ** 2
      })
      return true
    },
    take() {
      const now = activeMs()
      const seen = { turnMs: sum === 0 ? 0 : squares / sum, busyMs: now - activeAt }
      sum = 0
      squares = 0
      activeAt = now
      return seen
    },
  }
}
