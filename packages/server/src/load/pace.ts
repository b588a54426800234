import type { Clock } from '../clock.ts'

/** How fast requests come in while the event loop has more to do than it can: those let in, not those that wait, fill it. */
export interface Pace {
  /** Something came, in this turn of the event loop. */
  note(): void
  /** Whether one more may come in now, of those that may use up this share of what there is, 0 to 1. */
  allows(share: number): boolean
  /** One came in. */
  take(): void
}

/** What happened in one stretch of time. */
export interface PaceWindow {
  elapsedMs: number
  letIn: number
  /** How long turns of the event loop took in which something came: their mean over time, so that long ones weigh more. */
  turnMs: number
  /** Whether there were enough requests to make turns long. A slow machine has long turns, too. */
  isCrowded: boolean
}

export interface PaceOptions {
  clock: Clock
  /** Resolves when all that came with this turn of the event loop has been done. */
  turnEnd: () => Promise<void>
  /** Requests that the service is at. */
  inHand: () => number
  /** As many are a crowd. */
  crowd: number
}

const WINDOW_MS = 100
/** In each turn the system hands over one new connection, and everything that is under way gets one step further. */
const TURN_MS = 8
const GROWTH = 1.1
/** One stall, as of a processor that was lent out, says little. */
const MOST_CUT = 0.8
const LEAST_PER_MS = 0.05
/** More than a server takes: no need to count any longer. */
const MOST_PER_MS = 100
/** What may come at once is what comes in so long a time. */
const DEPTH_MS = 10
const LEAST_DEPTH = 2

/**
 * How many requests may come in each millisecond from now on. While turns take too long, fewer than did, by as much as they
 * are too long and by a fifth at most; otherwise a tenth more each tenth of a second, until there is no limit.
 */
export function nextRate(rate: number, { elapsedMs, letIn, turnMs, isCrowded }: PaceWindow): number {
  if (isCrowded && turnMs > TURN_MS) {
    return Math.max(LEAST_PER_MS, Math.min(rate, letIn / elapsedMs) * Math.max(MOST_CUT, TURN_MS / turnMs))
  }
  const grown = rate * GROWTH ** (elapsedMs / WINDOW_MS)
  return grown > MOST_PER_MS ? Number.POSITIVE_INFINITY : grown
}

/** A bucket of tokens, filled at a rate that follows how long turns of the event loop take. */
export function createPace({ clock, turnEnd, inHand, crowd }: PaceOptions): Pace {
  const turns = createTurnWatch(clock, turnEnd)
  let rate = Number.POSITIVE_INFINITY
  let tokens = 0
  let seenAt = clock.now()
  let window = { elapsedMs: 0, letIn: 0 }
  const depth = () => Math.max(LEAST_DEPTH, rate * DEPTH_MS)
  return {
    note() {
      const now = clock.now()
      turns.note(now)
      // A clock that was put back says nothing about how long anything took.
      const elapsedMs = Math.max(0, now - seenAt)
      if (elapsedMs === 0) return
      seenAt = now
      tokens = Math.min(depth(), tokens + rate * elapsedMs)
      window.elapsedMs += elapsedMs
      if (window.elapsedMs < WINDOW_MS) return
      rate = nextRate(rate, { ...window, turnMs: turns.take(), isCrowded: inHand() >= crowd })
      tokens = Math.min(depth(), tokens)
      window = { elapsedMs: 0, letIn: 0 }
    },
    allows: (share) => rate === Number.POSITIVE_INFINITY || tokens - (1 - share) * depth() >= 1,
    take() {
      window.letIn += 1
      tokens = Math.max(0, tokens - 1)
    },
  }
}

interface TurnWatch {
  note(now: number): void
  /** The mean over time of the turns that were noted and are over; they are forgotten. */
  take(): number
}

function createTurnWatch(clock: Clock, turnEnd: () => Promise<void>): TurnWatch {
  let isNoted = false
  let sum = 0
  let sumOfSquares = 0
  return {
    note(now) {
      if (isNoted) return
      isNoted = true
      void turnEnd().then(() => {
        isNoted = false
        const tookMs = Math.max(0, clock.now() - now)
        sum += tookMs
        sumOfSquares += tookMs * tookMs
      })
    },
    take() {
      const mean = sum === 0 ? 0 : sumOfSquares / sum
      sum = 0
      sumOfSquares = 0
      return mean
    },
  }
}
