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

export interface Look<Lease extends StoredLease> {
  dead: Lease[]
  renewing: Lease[]
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

  /**
   * Those that are dead, and those that renewed in time. The latter is known sooner, and is no reason to end what they run.
   * `elapsed` is a reading of a monotonic clock, `now` one of the clock that leases are written with.
   */
  look<Lease extends StoredLease>(
    leases: readonly Lease[],
    { now, elapsed }: { now: number; elapsed: number },
  ): Look<Lease> {
    const { leaseMs, renewalMs } = this.#times
    const seen = leases.map((lease) => ({ lease, sighting: this.#sight(lease, elapsed) }))
    this.#sightings = new Map(seen.map(({ lease, sighting }) => [lease.nodeId, sighting]))
    const sinceRenewal = ({ until, renewedAt }: Sighting) =>
      renewedAt === null ? now + leaseMs - until : elapsed - renewedAt
    const isDead = ({ until, seenAt, renewedAt }: Sighting) => {
      if (renewedAt !== null && elapsed - renewedAt < 2 * renewalMs) return false
      return until < now || elapsed - (renewedAt ?? seenAt) > leaseMs
    }
    const leasesOf = (holds: (sighting: Sighting) => boolean) =>
      seen.filter(({ sighting }) => holds(sighting)).map(({ lease }) => lease)
    return {
      dead: leasesOf(isDead),
      renewing: leasesOf((sighting) => sinceRenewal(sighting) < 1.5 * renewalMs),
    }
  }

  #sight({ nodeId, until }: StoredLease, elapsed: number): Sighting {
    const before = this.#sightings.get(nodeId)
    if (before === undefined) return { until, seenAt: elapsed, renewedAt: null }
    return before.until === until ? before : { until, seenAt: before.seenAt, renewedAt: elapsed }
  }
}
