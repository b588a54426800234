/** Time as the widget meets it; tests bring their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `then` once after `delayMs`. Returns what calls it off. */
  after(delayMs: number, then: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, then) {
    const timer = setTimeout(then, delayMs)
    return () => clearTimeout(timer)
  },
}
