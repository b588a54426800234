import type { StoredLease } from './lease-store.ts'

interface Sighting {
  until: number
  seenAt: number
  /** When a renewal was last seen; null before the first. */
  renewedAt: number | null
}

/**
 * Finds dead nodes by what this node saw of their leases, whose ends are times of other clocks: a lease that was seen
 * renewed lately is alive, and one that was not renewed for the duration of a lease is dead, whatever the clocks say.
 */
export class NodeFailureDetector {
  readonly #times: { leaseMs: number; renewalMs: number }
  #sightings = new Map<string, Sighting>()

  constructor(times: { leaseMs: number; renewalMs: number }) {
    this.#times = times
  }

  /**
   * The leases of dead nodes, and those of nodes that renew in time. A node between the two keeps its executions. `elapsed` is
   * read from a monotonic clock, `now` from the clock that leases are written with.
   */
  classify<Lease extends StoredLease>(leases: readonly Lease[], { now, elapsed }: { now: number; elapsed: number }) {
    const { leaseMs, renewalMs } = this.#times
    const before = this.#sightings
    this.#sightings = new Map(leases.map((lease) => [lease.nodeId, sight(lease, before.get(lease.nodeId), elapsed)]))
    const withSighting = (isMatch: (sighting: Sighting) => boolean) =>
      leases.filter(({ nodeId }) => {
        const sighting = this.#sightings.get(nodeId)
        return sighting !== undefined && isMatch(sighting)
      })
    return {
      dead: withSighting(({ until, seenAt, renewedAt }) => {
        if (renewedAt !== null && elapsed - renewedAt < 2 * renewalMs) return false
        return until < now || elapsed - (renewedAt ?? seenAt) > leaseMs
      }),
      renewing: withSighting(({ until, renewedAt }) => {
        const sinceRenewal = renewedAt === null ? now + leaseMs - until : elapsed - renewedAt
        return sinceRenewal < 1.5 * renewalMs
      }),
    }
  }
}

function sight({ until }: StoredLease, before: Sighting | undefined, elapsed: number): Sighting {
  if (before?.until === until) return before
  return before ? { ...before, until, renewedAt: elapsed } : { until, seenAt: elapsed, renewedAt: null }
}
