import { createHash } from 'node:crypto'
import { isJsonObject } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateRoutes, RateTaken } from '../admission/rate-limit.ts'
import type { Deps } from '../deps.ts'
import { type AppError, limited } from '../errors.ts'
import type { Located } from '../runtimes/serving.ts'
import { networkOfCaller, notesOf } from './request-notes.ts'

type RateDeps = Pick<Deps, 'rateLimit' | 'metrics'>

/**
 * Takes one unit of the runtime's rate limit and sets the `RateLimit-*` headers. Throws 429 where there is none left, at
 * once where it can: where another plan may have come into force meanwhile, the runtime is read again first.
 */
export function takeRate(
  deps: RateDeps,
  { located, routes }: { located: Located; routes: RateRoutes },
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  const { runtime } = located
  const asked = { routes, network: networkOfCaller(request) }
  const taken = deps.rateLimit.take({ runtime, ...asked })
  if (taken.ok || !taken.mayBeStale || located.isFresh) return noteTaken(deps, taken, request, reply)
  return located.refresh().then(() => {
    const isSame = located.runtime.tier === runtime.tier
    noteTaken(deps, isSame ? taken : deps.rateLimit.take({ runtime: located.runtime, ...asked }), request, reply)
  })
}

function noteTaken(deps: RateDeps, taken: RateTaken, request: FastifyRequest, reply: FastifyReply): void {
  const { limit, remaining, resetMs } = taken.state
  reply.header('ratelimit-limit', String(limit))
  reply.header('ratelimit-remaining', String(remaining))
  // In whole seconds until the allowance is full again.
  reply.header('ratelimit-reset', String(Math.ceil(resetMs / 1000)))
  if (!taken.ok) throw refusal(deps, taken)
  notesOf(request).unjudged = taken
}

/** Throws 429 where the visitor, the end user or else the network, takes more than its part of the rate. */
export function judgeVisitor(deps: RateDeps, request: FastifyRequest): void {
  const notes = notesOf(request)
  const { unjudged } = notes
  if (unjudged === null) return
  notes.unjudged = null
  const judged = unjudged.judge(endUserOf(request.body))
  if (!judged.ok) throw refusal(deps, { limit: 'visitor', retryAfterMs: judged.retryAfterMs })
}

/** The answer to a broker call that found nothing: the same for all that may be missing, and limited by network. */
export function limitNotFound(deps: RateDeps, notFound: AppError, request: FastifyRequest): AppError {
  const taken = deps.rateLimit.takeNotFound(networkOfCaller(request))
  return taken.ok ? notFound : refusal(deps, { limit: 'network', retryAfterMs: taken.retryAfterMs })
}

/** Removes what tells of a runtime's rate limit. */
export function removeRateHeaders(reply: FastifyReply): void {
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) reply.removeHeader(name)
}

const REFUSALS = {
  rate: 'Too many requests to this runtime in the last minute.',
  visitor: 'Too many requests to this runtime from one visitor: others ask it too, and get half of its rate.',
  network: 'Too many calls from this network for capabilities that do not exist.',
} as const

function refusal(
  { metrics }: Pick<Deps, 'metrics'>,
  { limit, retryAfterMs }: { limit: keyof typeof REFUSALS; retryAfterMs: number },
): AppError {
  metrics.admissionRefused(limit)
  return limited(REFUSALS[limit], retryAfterMs)
}

// Hashed: a token is somebody's secret, and what counts requests has no use for it.
function endUserOf(body: unknown): string | null {
  const token = isJsonObject(body) ? body['endUserToken'] : undefined
  if (typeof token !== 'string' || token.trim() === '') return null
  return createHash('sha256').update(token).digest('base64url')
}
