import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'

const EXPOSED = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id'
const PREFLIGHT_SECONDS = '600'

// What browsers send; only that may be echoed into a header of ours.
const ORIGIN = /^[\x21-\x7e]{1,512}$/
const HEADER_NAMES = /^[\x20-\x7e]{1,2048}$/

/** Lets pages of any origin read the answers of this plane, errors included. Never with credentials. */
export function allowAnyOrigin(plane: FastifyInstance): void {
  plane.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANY_ORIGIN)
    done()
  })
}

/** The headers that let pages of any origin read an answer. */
export const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED } as const

/**
 * Lets the page read the answer until its runtime is known and {@link checkOrigin} has decided: a page whose key is wrong
 * should see the 401 and not a riddle.
 */
export function echoOrigin(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(echoedOrigin(request.headers.origin))
}

/** The headers that let pages of this one origin read an answer. */
export function echoedOrigin(origin: string | undefined): Record<string, string> {
  if (origin === undefined || !ORIGIN.test(origin)) return { vary: 'origin' }
  return { vary: 'origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
}

/**
 * Refuses a browser whose origin is not on the runtime's list, and hides the answer from its page; shows it to one whose
 * origin is. No `Origin` header means no browser.
 */
export function checkOrigin(runtime: ServingRuntime, request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  if (origin === undefined) return
  if (runtime.allowedOrigins.length === 0 || runtime.allowedOrigins.includes(origin)) {
    echoOrigin(request, reply)
    return
  }
  reply.removeHeader('access-control-allow-origin')
  reply.removeHeader('access-control-expose-headers')
  throw forbidden(`The origin ${origin.slice(0, 200)} is not on this runtime’s list of allowed origins.`)
}

/**
 * Answers preflights for these paths. They carry no credential, so no runtime is known yet and any origin may go on to ask;
 * the request itself is judged by its own origin.
 */
export function answerPreflights(plane: FastifyInstance, paths: readonly string[], methods: string): void {
  for (const path of paths) {
    plane.options(path, async (request, reply) => {
      const { origin = '', 'access-control-request-headers': asked = '' } = request.headers
      return reply
        .code(204)
        .headers({
          'access-control-allow-origin': ORIGIN.test(origin) ? origin : '*',
          'access-control-allow-methods': methods,
          'access-control-allow-headers': HEADER_NAMES.test(asked) ? asked : 'authorization, content-type',
          'access-control-max-age': PREFLIGHT_SECONDS,
          vary: 'origin, access-control-request-headers',
        })
        .send()
    })
  }
}
