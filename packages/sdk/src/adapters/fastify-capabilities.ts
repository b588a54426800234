import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CapabilityHandler } from '../calls/create-handler.ts'
import { checkHandler } from './check-handler.ts'
import { answerExchange, type NodeReceiver } from './node-exchange.ts'

const RAW_BODY_ADVICE =
  'In Fastify: register this plugin outside of every hook that reads bodies, and not through fastify-plugin.'

export interface FastifyCapabilitiesOptions {
  /** What `createHandler` returned. */
  readonly handler: CapabilityHandler
  /** The path that calls arrive at, such as `/svc`; below the `prefix` that the plugin is registered with, if any. */
  readonly path: string
}

/**
 * A Fastify 5 plugin that serves a handler. It reads bodies in a scope of its own: other routes keep their parsers.
 * It answers every request to its path, failures included: no error handler is called.
 * @example
 * await app.register(fastifyCapabilities, { handler: createHandler({ runtime, runtimeId, secret }), path: '/svc' })
 */
export async function fastifyCapabilities(app: FastifyScope, options: FastifyCapabilitiesOptions): Promise<void> {
  const { handler, path } = options
  checkHandler('fastifyCapabilities', handler)
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new TypeError('fastifyCapabilities: path must be the path that calls arrive at, such as “/svc”.')
  }
  const receiver: NodeReceiver = { handler, rawBodyAdvice: RAW_BODY_ADVICE }
  app.removeAllContentTypeParsers()
  // A parser that leaves the body where it is: the raw request is read below.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.all(path, async (request, reply) => {
    const answer = await answerExchange(receiver, request.raw, reply.raw)
    const body = Buffer.from(await answer.arrayBuffer())
    return reply.code(answer.status).headers(Object.fromEntries(answer.headers)).send(body)
  })
}

/** The members of a Fastify instance that the plugin uses. */
export interface FastifyScope {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown
  all(path: string, handler: (request: FastifyRequestParts, reply: FastifyReplyParts) => Promise<unknown>): unknown
}

interface FastifyRequestParts {
  readonly raw: IncomingMessage
}

interface FastifyReplyParts {
  readonly raw: ServerResponse
  code(status: number): FastifyReplyParts
  headers(values: Record<string, string>): FastifyReplyParts
  send(body: Uint8Array): unknown
}
