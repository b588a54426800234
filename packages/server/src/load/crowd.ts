/** Those who came lately and have not been answered. */
export interface Crowd {
  /** So long after the last time. */
  pass(elapsedMs: number): void
  /** One more; what is returned is to be called once, when he hears of an answer or leaves. */
  join(): () => void
  readonly size: number
}

/** How long each counts at least, and twice that at most: whoever still waits then waits for somebody else. */
const LATELY_MS = 1_000

/** Counts whoever came in the last second or two. */
export function createCrowd(): Crowd {
  let young = { count: 0 }
  let old = { count: 0 }
  let ageMs = 0
  return {
    pass(elapsedMs) {
      ageMs += elapsedMs
      if (ageMs < LATELY_MS) return
      old = ageMs < 2 * LATELY_MS ? young : { count: 0 }
      young = { count: 0 }
      ageMs = 0
    },
    join() {
      const generation = young
      generation.count += 1
      return () => {
        generation.count -= 1
      }
    },
    get size() {
      return young.count + old.count
    },
  }
}
