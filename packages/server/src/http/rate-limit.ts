import { createHash } from 'node:crypto'
import { isJsonObject } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateRoutes, RateTaken } from '../admission/rate-limit.ts'
import { type AppError, limited } from '../errors.ts'
import { networkOf } from '../lib/network.ts'
import type { CachedRuntime } from '../runtimes/serving-cache.ts'
import type { HttpDeps } from './deps.ts'
import { toAppError } from './error-handler.ts'
import { IPV6_BITS, stateOf } from './request-state.ts'

type RateDeps = Pick<HttpDeps, 'rateLimit' | 'metrics'>

/**
 * Takes one unit of the runtime's rate limit and sets the `RateLimit-*` headers. Throws 429 where there is none left. The
 * runtime is read again first where its plan may have changed; only then is the result a promise.
 */
export function takeRate(
  deps: RateDeps,
  { cached, routes }: { cached: CachedRuntime; routes: RateRoutes },
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  const { runtime } = cached
  const asked = { routes, network: networkOf(request.ip, IPV6_BITS.rate) }
  const taken = deps.rateLimit.take({ runtime, ...asked })
  if (taken.ok || !taken.mayBeStale || cached.isFresh) return applyRate(deps, taken, request, reply)
  return cached.refresh().then(() => {
    const isSamePlan = cached.runtime.tier === runtime.tier
    applyRate(deps, isSamePlan ? taken : deps.rateLimit.take({ runtime: cached.runtime, ...asked }), request, reply)
  })
}

function applyRate(deps: RateDeps, taken: RateTaken, request: FastifyRequest, reply: FastifyReply): void {
  const { limit, remaining, resetMs } = taken.state
  reply.header('ratelimit-limit', String(limit))
  reply.header('ratelimit-remaining', String(remaining))
  // Whole seconds until the token bucket is full again.
  reply.header('ratelimit-reset', String(Math.ceil(resetMs / 1000)))
  if (!taken.ok) throw refusal(deps, taken)
  stateOf(request).rateTaken = taken
}

/**
 * Throws 429 where one visitor takes more than its part of the rate while others ask (`admission/runtime-rate.ts`): the end
 * user, as a hash, or else the network. The end user is that of the body's `endUserToken`, unless the route passes one.
 */
export function takeVisitorRate(deps: RateDeps, request: FastifyRequest, endUser = endUserOf(request.body)): void {
  const state = stateOf(request)
  const judged = state.rateTaken?.judge(endUser)
  state.rateTaken = null
  if (judged && !judged.ok) throw refusal(deps, { limit: 'visitor', retryAfterMs: judged.retryAfterMs })
}

/**
 * The error handler of anonymous routes. A 404 has no headers of the rate, and is a 429 where its network got too many of
 * them; whatever else was thrown counts for its visitor. `endUser` is as in {@link takeVisitorRate}.
 */
export function limitFaults(deps: RateDeps & Pick<HttpDeps, 'limits'>, endUser?: null) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    if (toAppError(error, deps).code !== 'not_found') {
      takeVisitorRate(deps, request, endUser)
      throw error
    }
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) reply.removeHeader(name)
    const taken = deps.rateLimit.takeNotFound(networkOf(request.ip, IPV6_BITS.rate))
    throw taken.ok ? error : refusal(deps, { limit: 'network', retryAfterMs: taken.retryAfterMs })
  }
}

const REFUSALS = {
  rate: 'Too many requests to this runtime in the last minute.',
  visitor: 'Too many requests to this runtime from one visitor: others ask it too, and get half of its rate.',
  network: 'Too many calls from this network for capabilities that do not exist.',
} as const

function refusal(
  { metrics }: RateDeps,
  { limit, retryAfterMs }: { limit: keyof typeof REFUSALS; retryAfterMs: number },
): AppError {
  metrics.admissionRefused(limit)
  return limited(REFUSALS[limit], retryAfterMs)
}

// Hashed: a token is a secret, and counting requests does not need it.
function endUserOf(body: unknown): string | null {
  const token = isJsonObject(body) ? body['endUserToken'] : undefined
  if (typeof token !== 'string' || token.trim() === '') return null
  return createHash('sha256').update(token).digest('base64url')
}
