import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'
import type { CachedRuntime } from '../runtimes/serving-cache.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'

const EXPOSED = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, www-authenticate, x-request-id'
const PREFLIGHT_SECONDS = '600'

// The characters that browsers send. No others may be echoed into a response header.
const ORIGIN = /^[\x21-\x7e]{1,512}$/
const HEADER_NAMES = /^[\x20-\x7e]{1,2048}$/

/** The headers that let pages of any origin read an answer. */
export const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED } as const

/** Lets pages of any origin read the answers of this plane, errors included. Never with credentials. */
export function allowAnyOrigin(plane: FastifyInstance): void {
  plane.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANY_ORIGIN)
    done()
  })
}

/** Lets the page read the answer before {@link checkOrigin} has judged it, so that a page with a wrong key sees the 401. */
export function echoOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'origin')
  if (origin === undefined || !ORIGIN.test(origin)) return
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED })
}

/** Throws 403 where the origin is not on the runtime's list, and hides the answer from the page. No `Origin` passes. */
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

/** Answers preflights for these paths, to any origin: they carry no credential, so the request itself is judged. */
export function answerPreflights(
  plane: FastifyInstance,
  paths: readonly string[],
  methods: string,
  config: FastifyContextConfig = {},
): void {
  for (const path of paths) {
    plane.options(path, { config }, async (request, reply) => {
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

/** The same runtime, with the origin checked again after each `refresh`: its list may have changed. */
export function guardOrigin(found: CachedRuntime, request: FastifyRequest, reply: FastifyReply): CachedRuntime {
  return judgedAgain(found, (runtime) => checkOrigin(runtime, request, reply))
}

/** A runtime that is judged again whenever it is read again. */
export function judgedAgain(found: CachedRuntime, judge: (runtime: ServingRuntime) => void): CachedRuntime {
  return {
    get runtime() {
      return found.runtime
    },
    get isFresh() {
      return found.isFresh
    },
    async refresh() {
      await found.refresh()
      judge(found.runtime)
    },
  }
}
