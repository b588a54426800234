import { Lru } from '../lib/lru.ts'

/** After so many executions of a candidate on this node it is looked at, and no more after the last number. */
const LOOK_EVERY = 10
const LAST_LOOK = 400

export type CandidateWatch = ReturnType<typeof createCandidateWatch>

/**
 * Has new candidates judged more often than usage is counted: a bad one is found within few executions, however busy its
 * runtime is. `judge` counts what has ended.
 */
export function createCandidateWatch(judge: () => Promise<unknown>) {
  /** Executions under the latest share of each runtime. */
  const seen = new Lru<string, { share: number; count: number }>(10_000)
  return {
    note(runtimeId: string, share: number): void {
      const known = seen.get(runtimeId)
      const one = known?.share === share ? known : { share, count: 0 }
      if (one !== known) seen.set(runtimeId, one)
      one.count += 1
      if (one.count > LAST_LOOK || one.count % LOOK_EVERY !== 0) return
      // The background job counts again, and tells of failures.
      judge().catch(() => {})
    },
  }
}
