import type { Crowd } from './crowd.ts'
import { isTooMuch, lowered, NO_LIMIT, raised, WINDOW_MS } from './pace-rules.ts'
import { createTurnWatch, type TurnWatchOptions } from './turn-watch.ts'

/**
 * How fast requests come in while the event loop has more to do than it can. Admitted executions are what fills it then,
 * and as they wait for nothing that could be counted, it is seen by how long its turns are.
 */
export interface Pace {
  /** Something came, so long after what came before. */
  pass(elapsedMs: number): void
  /** Whether one more may come in now, of those that may use up this share of what there is, 0 to 1. */
  allows(share: number): boolean
  /** One comes in; what is returned is to be called once, when its answer begins or it is given up. */
  take(): () => void
}

export interface PaceOptions extends TurnWatchOptions {
  /** Those who came in lately and have no answer. */
  crowd: Crowd
  /** As many are a crowd. */
  crowdSize: number
}

/** How long it is remembered what got done. Those that were let in at once are often done at once. */
const MEMORY_MS = 1_000
const RISE_MS = 250
/** As long as a stretch counts in that: in one that is longer, something else took the time. */
const MOST_WEIGHED_MS = 200
/** Of a crowd. Refusing takes time, too: as many as are no crowd otherwise would be twice as long about it. */
const FEW = 0.5
/** What may come at once is what comes in so long a time. */
const DEPTH_MS = 10
const LEAST_DEPTH = 2

/** A bucket of tokens, filled at a rate that follows how long turns of the event loop take. */
export function createPace({ crowd, crowdSize, ...options }: PaceOptions): Pace {
  const turns = createTurnWatch(options)
  const few = crowdSize * FEW
  let rate = NO_LIMIT
  let tokens = 0
  let donePerMs = 0
  let isWary = false
  let window = { elapsedMs: 0, letIn: 0, finished: 0, wasShort: false, mostInTurn: 0 }
  // Whoever is answered in the turn in which he came is seen in no crowd, and his like make turns as long as any.
  let letInThisTurn = 0
  const depth = () => Math.max(LEAST_DEPTH, rate * DEPTH_MS)
  const adapt = () => {
    const { elapsedMs, letIn, finished, wasShort, mostInTurn } = window
    const done = finished / elapsedMs
    donePerMs += (done - donePerMs) * (Math.min(MOST_WEIGHED_MS, elapsedMs) / (done > donePerMs ? RISE_MS : MEMORY_MS))
    const crowding = Math.max(crowd.size, mostInTurn) / crowdSize
    const seen = { elapsedMs, letIn, donePerMs, wasShort, ...turns.take(), crowding }
    window = { elapsedMs: 0, letIn: 0, finished: 0, wasShort: false, mostInTurn: 0 }
    const tooMuch = isTooMuch(seen)
    const wasLimited = rate !== NO_LIMIT
    // The first alone may be a process that was stopped for a moment, and finds all at once what came meanwhile.
    if (tooMuch && isWary) rate = lowered(rate, seen)
    else if (!tooMuch) rate = raised(rate, seen)
    // Of a flood that stops for a moment, too, the next window is not the first.
    isWary = tooMuch || wasLimited
    tokens = Math.min(depth(), tokens)
  }
  return {
    pass(elapsedMs) {
      crowd.pass(elapsedMs)
      const isFirst = turns.note()
      if (elapsedMs > 0) tokens = Math.min(depth(), tokens + rate * elapsedMs)
      window.elapsedMs += elapsedMs
      if (!isFirst) return
      window.mostInTurn = Math.max(window.mostInTurn, letInThisTurn)
      letInThisTurn = 0
      // Of a turn that is under way nothing is known yet, and the longest would be the last to be known of.
      if (window.elapsedMs >= WINDOW_MS) adapt()
    },
    allows(share) {
      // A few are let in at any rate: what is written for each by itself costs several times as much as for many at once.
      const inHand = Math.max(crowd.size, letInThisTurn)
      const isAllowed = rate === NO_LIMIT || inHand < few * share || tokens - (1 - share) * depth() >= 1
      if (!isAllowed) window.wasShort = true
      return isAllowed
    },
    take() {
      const leave = crowd.join()
      window.letIn += 1
      letInThisTurn += 1
      tokens = Math.max(0, tokens - 1)
      return () => {
        leave()
        window.finished += 1
      }
    },
  }
}
