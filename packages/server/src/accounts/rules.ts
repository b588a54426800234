import { type BucketRate, CLOCK_SKEW_MS, take } from '../usage/token-bucket.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** How long a session goes on after it was last renewed. */
export const SESSION_MS = 7 * DAY_MS

/** Sessions of one account: those begun or renewed last. */
export const SESSIONS_KEPT = 100

/** A session in use is renewed at most this often: more often would only cost writes. */
const RENEWAL_MS = DAY_MS

/** Attempts to sign in, or to name the present password: at one account, and from one network. */
export const SIGN_IN_RATES = {
  address: { unitMs: (15 * MINUTE_MS) / 10, burst: 10 },
  network: { unitMs: (15 * MINUTE_MS) / 50, burst: 50 },
} as const satisfies Record<string, BucketRate>

/** First bits of an IPv6 address that count as one network. Providers give a customer a /56 or a /48. */
export const IPV6_BITS = { attempts: 56, signUp: 48, hashing: 48 } as const

/** How long a network is remembered from which an account's password was given. */
export const KNOWN_NETWORK_MS = 30 * DAY_MS

/** Networks that are remembered of one account: the ones used last. */
export const KNOWN_NETWORKS_KEPT = 20

/** Accounts that one network may open. */
export const SIGN_UP_RATE: BucketRate = { unitMs: (60 * MINUTE_MS) / 10, burst: 10 }

/** ISO 8601 in UTC: times of the `auth_` tables, which decide nothing. */
export function isoText(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** When a session that is used now ends, where that moves its end; null where it was renewed less than a day ago. */
export function renewedUntil(validUntil: number, now: number): number | null {
  const next = now + SESSION_MS
  return next - validUntil >= RENEWAL_MS ? next : null
}

/** A bucket that an attempt draws one unit from. */
export interface Attempt {
  subject: string
  rate: BucketRate
}

/** `fullAt` holds the buckets that change; of a refusal only those that a clock which was ahead left emptier than empty. */
export type Attempted =
  | { ok: true; fullAt: Map<string, number> }
  | { ok: false; fullAt: Map<string, number>; retryAfterMs: number }

/** Takes one unit from every bucket, or none from any. `fullAt` is by subject. */
export function attempt(attempts: readonly Attempt[], fullAt: ReadonlyMap<string, number>, now: number): Attempted {
  const taken = new Map<string, number>()
  const refused = new Map<string, number>()
  let retryAfterMs = 0
  for (const { subject, rate } of attempts) {
    const result = take(fullAt.get(subject) ?? 0, rate, now, CLOCK_SKEW_MS)
    if (result.ok) taken.set(subject, result.fullAt)
    else {
      refused.set(subject, result.fullAt)
      retryAfterMs = Math.max(retryAfterMs, result.retryAfterMs)
    }
  }
  return refused.size === 0 ? { ok: true, fullAt: taken } : { ok: false, fullAt: refused, retryAfterMs }
}
