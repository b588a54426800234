import { ExpiringMap } from '../lib/expiring-map.ts'
import { type BucketRate, perMinute, type Taken, take } from '../usage/token-bucket.js'
import { RecentAskers } from './recent-askers.ts'

export const MINUTE_MS = 60_000

// How long a request whose network has too many unread bodies is told to wait: they are read, or time out, soon.
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
 * The requests of one runtime, by one kind of route. While more than one visitor asks, each gets at most half of the
 * rate. Who the visitor is stands in the body, so until that is read the unit counts for the network.
 */
export class RuntimeRate {
  /** When a refusal was last confirmed on the runtime as it is stored. */
  confirmedAt = Number.NEGATIVE_INFINITY
  #fullAt = 0
  readonly #visitors: ExpiringMap<string, number>
  readonly #unread = new Map<string, number>()
  readonly #askingNetworks = new RecentAskers(MINUTE_MS)
  readonly #refusedNetworks = new RecentAskers(MINUTE_MS)
  readonly #askingVisitors = new RecentAskers(MINUTE_MS)

  constructor(maxVisitors: number) {
    this.#visitors = new ExpiringMap({ ttlMs: MINUTE_MS, maxSize: maxVisitors })
  }

  get fullAt(): number {
    return this.#fullAt
  }

  /** Takes one unit of `share`, requests a minute. */
  take(network: string, share: number, now: number): UnitTaken {
    const visitorRate = perMinute(Math.ceil(share / 2))
    const isContested = this.#askingNetworks.hasOthersThan(network, now)
    this.#askingNetworks.note(network, now)
    const unread = this.#unread.get(network) ?? 0
    // Otherwise slow bodies of one network would hold every unit.
    if (isContested && unread >= visitorRate.burst)
      return { ok: false, limit: 'visitor', retryAfterMs: UNREAD_RETRY_MS }
    const rate = perMinute(share)
    const taken = take(this.#fullAt, rate, now)
    this.#fullAt = taken.fullAt
    if (!taken.ok) {
      this.#refusedNetworks.note(network, now)
      return { ok: false, limit: 'rate', retryAfterMs: taken.retryAfterMs }
    }
    this.#unread.set(network, unread + 1)
    return { ok: true, unit: { network, rate, visitorRate } }
  }

  /** Judges the visitor once the body is read. A refusal gives the unit back: it is there for the others. */
  judge({ network, rate, visitorRate }: Unit, visitor: string, now: number): VisitorJudged {
    const unread = this.#unread.get(network) ?? 0
    if (unread > 1) this.#unread.set(network, unread - 1)
    else this.#unread.delete(network)
    const isContested =
      this.#askingVisitors.hasOthersThan(visitor, now) || this.#refusedNetworks.hasOthersThan(network, now)
    this.#askingVisitors.note(visitor, now)
    const taken: Taken = take(this.#visitors.get(visitor, now) ?? 0, visitorRate, now)
    this.#visitors.set(visitor, taken.fullAt, now)
    if (taken.ok || !isContested) return { ok: true }
    this.#fullAt -= rate.unitMs
    return { ok: false, retryAfterMs: taken.retryAfterMs }
  }
}
