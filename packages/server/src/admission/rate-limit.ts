import type { Tier } from '@svc/contract'
import type { Clock } from '../lib/clock.ts'
import { ExpiringMap } from '../lib/expiring-map.ts'
import { TIERS } from '../usage/tiers.ts'
import { available, missingMs, perMinute, take } from '../usage/token-bucket.js'
import { MINUTE_MS, RuntimeRate, type VisitorJudged } from './runtime-rate.ts'

/** Routes that share a rate: those of the public key, or the broker. */
export type RateRoutes = 'page' | 'broker'

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
  /** `judge` is called once, with the end user where the body names one. */
  | { ok: true; state: RateState; judge(endUser: string | null): VisitorJudged }
  /** `mayBeStale`: the runtime should be read again, as another plan may let the request in. */
  | { ok: false; state: RateState; limit: 'rate' | 'visitor'; retryAfterMs: number; mayBeStale: boolean }

/** Counts requests, in the memory of this replica, which grants its share of each limit. */
export interface RateLimit {
  take(request: RateRequest): RateTaken
  /** Counts a broker call that found nothing. */
  takeNotFound(network: string): VisitorJudged
}

/** Broker calls that found nothing, a minute and network. */
const NOT_FOUND_PER_MINUTE = 600
const MAX_RUNTIMES = 50_000
const MAX_NETWORKS = 50_000

// A flood of refused requests reads the runtime again ten times a second, and no more.
const BELIEVED_MS = 100

/** `clock` is monotonic. `replicas` is how many servers are alive, this one included. */
export function createRateLimit({ clock, replicas }: { clock: Clock; replicas: () => number }): RateLimit {
  const runtimes = new ExpiringMap<string, RuntimeRate>({ ttlMs: MINUTE_MS, maxSize: MAX_RUNTIMES })
  const networks = new ExpiringMap<string, number>({ ttlMs: MINUTE_MS, maxSize: MAX_NETWORKS })
  const shareOf = (limit: number) => Math.ceil(limit / Math.max(1, replicas()))
  return {
    take({ runtime: { ownerId, runtimeId, tier }, routes, network }) {
      const now = clock.now()
      const limit = TIERS[tier].requestsPerMinute
      const share = shareOf(limit)
      const key = `${ownerId} ${runtimeId} ${routes}`
      // A visitor of more than a minute ago has a full bucket again, and at most two of these are used a minute and unit.
      const runtime = runtimes.get(key, now) ?? new RuntimeRate(2 * limit)
      runtimes.set(key, runtime, now)
      const taken = runtime.take(network, share, now)
      const state = stateOf(runtime.fullAt, { limit, share, now })
      if (taken.ok) {
        const judge = (endUser: string | null) =>
          runtime.judge(taken.unit, endUser === null ? `network ${network}` : `user ${endUser}`, clock.now())
        return { ok: true, state, judge }
      }
      const mayBeStale = now - runtime.confirmedAt >= BELIEVED_MS || now < runtime.confirmedAt
      if (mayBeStale) runtime.confirmedAt = now
      return { ok: false, state, limit: taken.limit, retryAfterMs: taken.retryAfterMs, mayBeStale }
    },
    takeNotFound(network) {
      const now = clock.now()
      const taken = take(networks.get(network, now) ?? 0, perMinute(shareOf(NOT_FOUND_PER_MINUTE)), now)
      networks.set(network, taken.fullAt, now)
      return taken
    },
  }
}

function stateOf(fullAt: number, { limit, share, now }: { limit: number; share: number; now: number }): RateState {
  return {
    limit,
    remaining: available(fullAt, perMinute(share), now),
    resetMs: missingMs(fullAt, now),
  }
}
