import type { Clock } from '../clock.ts'

/** How long turns of the event loop take in which something came. */
export interface TurnWatch {
  /** Something came in this turn, at this time; the first is what counts. */
  note(now: number): void
  /** What was seen of the turns that are over; it is forgotten. `turnMs` is their mean over time, 0 where there was none. */
  take(): { turnMs: number; busyMs: number }
}

export function createTurnWatch(clock: Clock, turnEnd: () => Promise<void>): TurnWatch {
  let isNoted = false
  let busyMs = 0
  let squares = 0
  return {
    note(now) {
      if (isNoted) return
      isNoted = true
      void turnEnd().then(() => {
        isNoted = false
        const tookMs = Math.max(0, clock.now() - now)
        busyMs += tookMs
        squares += tookMs * tookMs
      })
    },
    take() {
      const seen = { turnMs: busyMs === 0 ? 0 : squares / busyMs, busyMs }
      busyMs = 0
      squares = 0
      return seen
    },
  }
}
