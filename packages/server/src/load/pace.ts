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
  /** One came in. */
  take(): void
  /** One that came in is answered, or its answer has begun. */
  finish(): void
}

export interface PaceOptions extends TurnWatchOptions {
  /** Requests that came in lately and are not answered. */
  inHand: () => number
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
export function createPace({ inHand, crowdSize, ...options }: PaceOptions): Pace {
  const turns = createTurnWatch(options)
  const few = crowdSize * FEW
  let rate = NO_LIMIT
  let tokens = 0
  let donePerMs = 0
  let wasTooMuch = false
  let window = { elapsedMs: 0, letIn: 0, finished: 0, wasShort: false }
  const depth = () => Math.max(LEAST_DEPTH, rate * DEPTH_MS)
  const adapt = () => {
    const { elapsedMs, letIn, finished, wasShort } = window
    const done = finished / elapsedMs
    donePerMs += (done - donePerMs) * (Math.min(MOST_WEIGHED_MS, elapsedMs) / (done > donePerMs ? RISE_MS : MEMORY_MS))
    const seen = { elapsedMs, letIn, donePerMs, wasShort, ...turns.take(), crowding: inHand() / crowdSize }
    window = { elapsedMs: 0, letIn: 0, finished: 0, wasShort: false }
    const tooMuch = isTooMuch(seen)
    // The first alone may be a process that was stopped for a moment, and finds all at once what came meanwhile.
    if (tooMuch && (wasTooMuch || rate !== NO_LIMIT)) rate = lowered(rate, seen)
    else if (!tooMuch) rate = raised(rate, seen)
    wasTooMuch = tooMuch
    tokens = Math.min(depth(), tokens)
  }
  return {
    pass(elapsedMs) {
      const isFirst = turns.note()
      if (elapsedMs > 0) tokens = Math.min(depth(), tokens + rate * elapsedMs)
      window.elapsedMs += elapsedMs
      // Of a turn that is under way nothing is known yet, and the longest would be the last to be known of.
      if (isFirst && window.elapsedMs >= WINDOW_MS) adapt()
    },
    allows(share) {
      // A few are let in at any rate: what is written for each by itself costs several times as much as for many at once.
      const isAllowed = rate === NO_LIMIT || inHand() < few * share || tokens - (1 - share) * depth() >= 1
      if (!isAllowed) window.wasShort = true
      return isAllowed
    },
    take() {
      window.letIn += 1
      tokens = Math.max(0, tokens - 1)
    },
    finish() {
      window.finished += 1
    },
  }
}
