import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import { ERROR_STATUS } from '@svc/contract'
import type { FastifyError, FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify'
import { invalidField } from '../errors.ts'
import { mayAnswerParseError, STALL_MS } from './connections.ts'
import type { HttpDeps } from './deps.ts'
import { toAppError } from './error-handler.ts'

const WELL_FORMED_ID = /^[A-Za-z0-9_-]{8,64}$/

/** How the HTTP server listens, and how it answers what never becomes a request. */
export function serverOptions(deps: Pick<HttpDeps, 'limits' | 'proxyHops'>): FastifyHttpOptions<Server> {
  return {
    logger: false,
    bodyLimit: deps.limits.bodyBytes,
    genReqId: requestIdOf,
    // A caller that is not behind the operator's proxies could name any address as its own.
    trustProxy: (_address, hop) => hop < deps.proxyHops,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    connectionTimeout: STALL_MS,
    keepAliveTimeout: 65_000,
    requestTimeout: 30_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      // A request without one gets a 400 in the error envelope.
      requireHostHeader: false,
    },
    // More than any URL that Node takes: an unknown id gets a 404, however long it is.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      const fault = toAppError(error, deps)
      reply.header('x-request-id', request.id).code(ERROR_STATUS[fault.code]).send(fault.toBody())
    },
    clientErrorHandler(_error, socket) {
      if (!mayAnswerParseError(socket)) return void socket.destroy()
      const body = JSON.stringify(invalidField('request', 'is not valid HTTP.').toBody())
      socket.write(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${randomUUID()}\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      )
      // Not end(): a peer that keeps its side open would keep the socket.
      socket.destroySoon()
    },
  }
}

/** The id of a request: the caller's own where it is well-formed, a new one otherwise. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && WELL_FORMED_ID.test(given) ? given : randomUUID()
}
