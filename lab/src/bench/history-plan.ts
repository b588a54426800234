import type { Random } from '../support/random.ts'

/** Where executions of a filled history belong: one of a thousand slots, which they visit in turn. */
export interface Slot {
  slot: number
  ownerId: string
  runtimeId: string
  projectId: string
  capability: string
}

/** A duration that executions of a filled history have, and where the server's histogram counts it. */
export interface PlannedDuration {
  place: number
  durationMs: number
  /** Sixteen buckets of the histogram. */
  span: number
  /** Position within the span. */
  bucket: number
}

/** What a history is made of, whatever its size. */
export interface HistoryPlan {
  slots: readonly Slot[]
  durations: readonly PlannedDuration[]
  /** Ids of the owners that the fill makes; the big one exists. */
  smallOwnerIds: readonly string[]
  /** How long the history is. */
  lengthMs: number
  /** Bytes of a call's input and of its output. */
  payloadBytes: { input: number; output: number }
}

export const SLOTS = 1_000
const BIG_OWNER_SLOTS = 100
const SMALL_OWNERS = 100
const RUNTIMES_OF_SMALL_OWNERS = 2
const LENGTH_MS = 90 * 86_400_000
const DURATIONS = 12
const SPAN_BUCKETS = 16
/** By how much each bucket of the server's histogram is longer than the one before. */
const GROWTH = 1.1

interface BigOwner {
  ownerId: string
  projectId: string
  runtimes: readonly { runtimeId: string; capability: string }[]
}

/** One big owner with a tenth of everything, a hundred small ones, 90 days, and durations from 30 ms to 3 s. */
export function planHistory(random: Random, big: BigOwner, payloadBytes: HistoryPlan['payloadBytes']): HistoryPlan {
  const smallOwnerIds = Array.from(
    { length: SMALL_OWNERS },
    (_, index) => `own_filled${String(index).padStart(4, '0')}`,
  )
  const slots = Array.from({ length: SLOTS }, (_, slot): Slot => {
    if (slot < BIG_OWNER_SLOTS) {
      const runtime = big.runtimes[slot % big.runtimes.length]
      if (runtime === undefined) throw new Error('the big owner has no runtime')
      return { slot, ownerId: big.ownerId, projectId: big.projectId, ...runtime }
    }
    const index = slot % SMALL_OWNERS
    const runtime = Math.floor(slot / SMALL_OWNERS) % RUNTIMES_OF_SMALL_OWNERS
    const ownerId = smallOwnerIds[index] ?? ''
    return {
      slot,
      ownerId,
      projectId: `proj_filled${index}`,
      runtimeId: `rt_filled_${index}_${runtime}`,
      capability: runtime === 0 ? 'orders-find' : 'orders-list',
    }
  })
  const durations = Array.from({ length: DURATIONS }, (_, place) => planDuration(random, place))
  return { slots, durations, smallOwnerIds, lengthMs: LENGTH_MS, payloadBytes }
}

// Log-uniform: most calls are short, and some wait long.
function planDuration(random: Random, place: number): PlannedDuration {
  const durationMs = Math.round(30 * 100 ** ((place + 0.25 + random.next() / 2) / DURATIONS))
  const index = bucketOf(durationMs)
  return { place, durationMs, span: Math.floor(index / SPAN_BUCKETS), bucket: index % SPAN_BUCKETS }
}

/** The bucket of the server's histogram: each starts after the longest duration of the one before. */
export function bucketOf(durationMs: number): number {
  let bucket = 0
  for (let longest = 0; longest < durationMs; bucket += 1) longest = Math.floor((longest + 1) * GROWTH)
  return bucket
}
