import { Lru } from '../lib/lru.ts'

/** After each so many executions of a candidate on this node the counters are updated, up to the last number. */
const LOOK_EVERY = 10
const LAST_LOOK = 400

export type CandidateWatch = ReturnType<typeof createCandidateWatch>

/**
 * Counts usage more often than its interval while a candidate is new, since counting freezes a bad one: it serves few
 * executions, however busy its runtime is. `catchUp` counts what has ended.
 */
export function createCandidateWatch(catchUp: () => Promise<unknown>) {
  /** Executions under the latest share of each runtime. */
  const seen = new Lru<string, { trafficSetAt: number; count: number }>(10_000)
  return {
    note(runtimeId: string, trafficSetAt: number): void {
      const known = seen.get(runtimeId)
      const one = known?.trafficSetAt === trafficSetAt ? known : { trafficSetAt, count: 0 }
      if (one !== known) seen.set(runtimeId, one)
      one.count += 1
      if (one.count > LAST_LOOK || one.count % LOOK_EVERY !== 0) return
      // The background job counts again, and logs failures.
      catchUp().catch(() => {})
    },
  }
}
