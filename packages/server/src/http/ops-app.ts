import { type FastifyInstance, fastify } from 'fastify'
import type { ReadinessProbe } from '../ops/readiness.ts'
import { mayAnswerParseError, trackAnswer } from './connections.ts'

/** Status lines for invalid HTTP, by the code of Node's error. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

export interface OpsDeps {
  readiness: ReadinessProbe
  metrics: { contentType: string; text(): Promise<string> }
}

/** Health and metrics, on a port of their own that must stay private: it asks for no credential. */
export function createOpsApp({ readiness, metrics }: OpsDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: 1,
    forceCloseConnections: true,
    requestTimeout: 10_000,
    keepAliveTimeout: 65_000,
    // By default Node checks the request timeout only every 30 s.
    http: { connectionsCheckingInterval: 1_000 },
    clientErrorHandler({ code }, socket) {
      if (!mayAnswerParseError(socket)) return void socket.destroy()
      const status = STATUS_LINES[code] ?? '400 Bad Request'
      // `connection: close`, or a client with keep-alive would lose its next request on this connection.
      socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      socket.destroySoon()
    },
  })
  app.addHook('onRequest', (_request, reply, done) => {
    if (!trackAnswer(reply.raw)) return void reply.raw.req.socket.destroy()
    reply.header('cache-control', 'no-store')
    done()
  })

  app.get('/live', async () => ({ status: 'ok' }))

  app.get('/ready', async (_request, reply) => {
    const state = await readiness.read()
    return reply.code(state.ready ? 200 : 503).send(state)
  })

  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.text()),
  )
  return app
}
