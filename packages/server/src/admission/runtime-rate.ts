import { ExpiringMap } from '../lib/expiring-map.ts'
import { type BucketRate, perMinute, take } from '../usage/token-bucket.js'

export const MINUTE_MS = 60_000

// The retry time of a request whose network has too many unread bodies: they are read, or time out, soon.
const UNREAD_RETRY_MS = 1_000

/** A unit that was taken before the request's body was read. */
export interface Unit {
  network: string
  rate: BucketRate
  visitorRate: BucketRate
}

export type UnitTaken = { ok: true; unit: Unit } | { ok: false; limit: 'rate' | 'visitor'; retryAfterMs: number }
export type VisitorJudged = { ok: true } | { ok: false; retryAfterMs: number }

/**
 * The rate of one runtime and one kind of route. While more than one visitor calls, each gets half of the rate at most.
 * The body names the visitor, so until it is read the unit counts for the network.
 */
export class RuntimeRate {
  /** When a refusal was last confirmed on the stored runtime. */
  confirmedAt = Number.NEGATIVE_INFINITY
  /** When its bucket is full again. */
  fullAt = 0
  readonly #visitors: ExpiringMap<string, number>
  readonly #unread = new Map<string, number>()
  readonly #networks = new RecentCallers()
  readonly #refusedNetworks = new RecentCallers()
  readonly #recentVisitors = new RecentCallers()

  constructor(maxVisitors: number) {
    this.#visitors = new ExpiringMap({ ttlMs: MINUTE_MS, maxSize: maxVisitors })
  }

  /** Takes one unit of `share`, in requests a minute. */
  take(network: string, share: number, now: number): UnitTaken {
    const visitorRate = perMinute(Math.ceil(share / 2))
    const isContested = this.#networks.hasOthersThan(network, now)
    this.#networks.note(network, now)
    const unread = this.#unread.get(network) ?? 0
    // Otherwise slow bodies of one network would hold every unit.
    if (isContested && unread >= visitorRate.burst)
      return { ok: false, limit: 'visitor', retryAfterMs: UNREAD_RETRY_MS }
    const rate = perMinute(share)
    const taken = take(this.fullAt, rate, now)
    this.fullAt = taken.fullAt
    if (!taken.ok) {
      this.#refusedNetworks.note(network, now)
      return { ok: false, limit: 'rate', retryAfterMs: taken.retryAfterMs }
    }
    this.#unread.set(network, unread + 1)
    return { ok: true, unit: { network, rate, visitorRate } }
  }

  /** Counts the unit for its visitor once the body is read. A refusal gives the unit back. */
  judge({ network, rate, visitorRate }: Unit, visitor: string, now: number): VisitorJudged {
    const unread = this.#unread.get(network) ?? 0
    if (unread > 1) this.#unread.set(network, unread - 1)
    else this.#unread.delete(network)
    const isContested =
      this.#recentVisitors.hasOthersThan(visitor, now) || this.#refusedNetworks.hasOthersThan(network, now)
    this.#recentVisitors.note(visitor, now)
    const taken = take(this.#visitors.get(visitor, now) ?? 0, visitorRate, now)
    this.#visitors.set(visitor, taken.fullAt, now)
    if (taken.ok || !isContested) return { ok: true }
    this.fullAt -= rate.unitMs
    return { ok: false, retryAfterMs: taken.retryAfterMs }
  }
}

interface Sighting {
  name: string
  at: number
}

/** The last two different callers: enough to tell whether another one than a given one called within a minute. */
class RecentCallers {
  #last: Sighting | null = null
  #beforeLast: Sighting | null = null

  note(name: string, now: number): void {
    if (this.#last?.name !== name) this.#beforeLast = this.#last
    this.#last = { name, at: now }
  }

  hasOthersThan(name: string, now: number): boolean {
    const other = this.#last?.name === name ? this.#beforeLast : this.#last
    return other !== null && now - other.at < MINUTE_MS
  }
}
