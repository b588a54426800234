import type { Server } from 'node:http'
import { ERROR_STATUS } from '@svc/contract'
import type { FastifyError, FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { invalidField } from '../errors.ts'
import { mayAnswerFault, STALL_MS } from './connections.ts'
import { toAppError } from './error-handler.ts'
import { requestIdOf } from './request-id.ts'

/** Bounds on how a connection may behave, in milliseconds. */
const TIMES = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, checkInterval: 1_000 }

/** How the HTTP server listens, and how it answers what never becomes a request. */
export function serverOptions(deps: Pick<Deps, 'limits' | 'proxyHops'>): FastifyHttpOptions<Server> {
  return {
    logger: false,
    bodyLimit: deps.limits.bodyBytes,
    genReqId: requestIdOf,
    // Whoever is not behind a proxy could name any address as their own.
    trustProxy: (_address, hop) => hop < deps.proxyHops,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    connectionTimeout: STALL_MS,
    keepAliveTimeout: TIMES.keepAliveTimeout,
    requestTimeout: TIMES.requestTimeout,
    http: {
      headersTimeout: TIMES.headersTimeout,
      connectionsCheckingInterval: TIMES.checkInterval,
      // A request without one is refused by us, in the one envelope.
      requireHostHeader: false,
    },
    // More than any URL that Node takes: an unknown id is answered as unknown, however long it is.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      const fault = toAppError(error, deps)
      reply.header('x-request-id', request.id).code(ERROR_STATUS[fault.code]).send(fault.toBody())
    },
    clientErrorHandler(_error, socket) {
      if (!mayAnswerFault(socket)) return void socket.destroy()
      const fault = invalidField('request', 'is not valid HTTP.')
      const body = JSON.stringify(fault.toBody())
      const id = requestIdOf({ headers: {} })
      socket.write(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${id}\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      )
      // Not end(): a peer that keeps its side open would keep the socket.
      socket.destroySoon()
    },
  }
}
