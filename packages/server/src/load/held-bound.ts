import { isCrowded, type LoadTargets, loweredBound, raisedBound } from './bound-rules.ts'
import { WINDOW_MS } from './pace-rules.ts'

/** How many requests may be held, by how long they waited until they were handed on. */
export interface HeldBound {
  /** So much time has passed, for all of which so many were held. */
  pass(elapsedMs: number, held: number): void
  /** One was handed on: admitted, answered, or given up. */
  handOn(): void
  readonly size: number
}

export function createHeldBound(targets: LoadTargets): HeldBound {
  let size = targets.maxBound
  let wasCrowded = false
  let window = { elapsedMs: 0, heldMs: 0, handedOn: 0 }
  return {
    pass(elapsedMs, held) {
      window.elapsedMs += elapsedMs
      window.heldMs += held * elapsedMs
      if (window.elapsedMs < WINDOW_MS) return
      const crowded = isCrowded(window, targets)
      if (!crowded) size = raisedBound(size, window, targets)
      // The first alone may be a process that was stopped for a moment, and whoever was held then waited for that.
      else if (wasCrowded || size < targets.maxBound) size = loweredBound(size, window, targets)
      wasCrowded = crowded
      window = { elapsedMs: 0, heldMs: 0, handedOn: 0 }
    },
    handOn() {
      window.handedOn += 1
    },
    get size() {
      return size
    },
  }
}
