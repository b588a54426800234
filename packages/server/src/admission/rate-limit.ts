import type { Tier } from '@svc/contract'
import type { Clock } from '../lib/clock.ts'
import { ExpiringMap } from '../lib/expiring-map.ts'
import { TIERS } from '../usage/tiers.ts'
import { available, missingMs, perMinute, take } from '../usage/token-bucket.js'
import { MINUTE_MS, RuntimeRate, type VisitorJudged } from './runtime-rate.ts'

/** Groups of routes. Each group has a rate limit of its own. */
export type RateRoutes = 'page' | 'broker' | 'settings'

/** The state of a runtime's rate limit, for the `RateLimit-*` headers. */
export interface RateState {
  /** Requests a minute, of all replicas together. */
  limit: number
  /** What this replica still grants. */
  remaining: number
  resetMs: number
}

export interface RateRequest {
  runtime: { ownerId: string; runtimeId: string; tier: Tier }
  routes: RateRoutes
  network: string
}

export type RateTaken =
  /** `judge` is called once, with the end user that the body names, or null. */
  | { ok: true; state: RateState; judge(endUser: string | null): VisitorJudged }
  /** `mayBeStale`: the runtime should be read again, as another plan may admit the request. */
  | { ok: false; state: RateState; limit: 'rate' | 'visitor'; retryAfterMs: number; mayBeStale: boolean }

/** Broker calls that found nothing, for each network and minute. */
const NOT_FOUND_PER_MINUTE = 600
/** Examinations of endpoints, for each account and minute. */
const EXAMINATIONS_PER_MINUTE = 6
const MAX_RUNTIMES = 50_000
const MAX_NETWORKS = 50_000
// At most this often, refused requests have the runtime read again.
const CONFIRM_MS = 100

export type RateLimit = ReturnType<typeof createRateLimit>

/** Counts requests in memory. Each of `replicas` grants its share of a limit. `clock` is monotonic. */
export function createRateLimit({ clock, replicas }: { clock: Clock; replicas: () => number }) {
  const runtimes = new ExpiringMap<string, RuntimeRate>({ ttlMs: MINUTE_MS, maxSize: MAX_RUNTIMES })
  const examinations = new ExpiringMap<string, number>({ ttlMs: MINUTE_MS, maxSize: MAX_RUNTIMES })
  const networks = new ExpiringMap<string, number>({ ttlMs: MINUTE_MS, maxSize: MAX_NETWORKS })
  const shareOf = (limit: number) => Math.ceil(limit / Math.max(1, replicas()))
  const takeOf =
    (buckets: ExpiringMap<string, number>, limit: number) =>
    (key: string): VisitorJudged => {
      const now = clock.now()
      const taken = take(buckets.get(key, now) ?? 0, perMinute(shareOf(limit)), now)
      buckets.set(key, taken.fullAt, now)
      return taken
    }
  return {
    take({ runtime: { ownerId, runtimeId, tier }, routes, network }: RateRequest): RateTaken {
      const now = clock.now()
      const limit = TIERS[tier].requestsPerMinute
      const share = shareOf(limit)
      const key = `${ownerId} ${runtimeId} ${routes}`
      // Twice the limit: an older visitor's bucket is full again and can be forgotten.
      const runtime = runtimes.get(key, now) ?? new RuntimeRate(2 * limit)
      runtimes.set(key, runtime, now)
      const taken = runtime.take(network, share, now)
      const remaining = available(runtime.fullAt, perMinute(share), now)
      const state: RateState = { limit, remaining, resetMs: missingMs(runtime.fullAt, now) }
      if (taken.ok) {
        const judge = (endUser: string | null) =>
          runtime.judge(taken.unit, endUser === null ? `network ${network}` : `user ${endUser}`, clock.now())
        return { ok: true, state, judge }
      }
      const mayBeStale = now - runtime.confirmedAt >= CONFIRM_MS || now < runtime.confirmedAt
      if (mayBeStale) runtime.confirmedAt = now
      return { state, mayBeStale, ...taken }
    },
    /** By account. */
    takeExamination: takeOf(examinations, EXAMINATIONS_PER_MINUTE),
    /** By network: a broker call that found nothing. */
    takeNotFound: takeOf(networks, NOT_FOUND_PER_MINUTE),
  }
}
