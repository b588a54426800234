/** A node's lease as it stands in the store. */
export interface StoredLease {
  nodeId: string
  until: number
}

interface Sighting {
  until: number
  seenAt: number
  /** When the lease was first seen renewed to this end; null while it is as it was first seen. */
  renewedAt: number | null
}

/**
 * Tells which nodes are dead by what this node saw of their leases. The ends of leases are times of other nodes' clocks,
 * so they are not enough: a lease that was seen renewed of late is alive, and one that was not renewed for as long as a
 * lease lasts is dead, whatever the clocks say.
 */
export class NodeWatch {
  readonly #times: { leaseMs: number; renewalMs: number }
  #sightings = new Map<string, Sighting>()

  constructor(times: { leaseMs: number; renewalMs: number }) {
    this.#times = times
  }

  /** `elapsed` is a reading of a monotonic clock, `now` one of the clock that leases are written with. */
  findDead(leases: readonly StoredLease[], { now, elapsed }: { now: number; elapsed: number }): StoredLease[] {
    this.#sightings = new Map(leases.map((lease) => [lease.nodeId, this.#sight(lease, elapsed)]))
    return leases.filter(({ nodeId, until }) => {
      const sighting = this.#sightings.get(nodeId)
      if (sighting === undefined) return false
      const { seenAt, renewedAt } = sighting
      if (renewedAt !== null && elapsed - renewedAt < 2 * this.#times.renewalMs) return false
      return until < now || elapsed - (renewedAt ?? seenAt) > this.#times.leaseMs
    })
  }

  #sight({ nodeId, until }: StoredLease, elapsed: number): Sighting {
    const before = this.#sightings.get(nodeId)
    if (before === undefined) return { until, seenAt: elapsed, renewedAt: null }
    return before.until === until ? before : { until, seenAt: before.seenAt, renewedAt: elapsed }
  }
}
