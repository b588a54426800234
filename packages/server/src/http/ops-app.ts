import type { Socket } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import type { ReadinessProbe } from '../ops/readiness.ts'
import { mayAnswerFault, oweAnswer, settleAnswer } from './connections.ts'

const TIMES = { requestTimeout: 10_000, keepAliveTimeout: 65_000 }
/** Node looks every 30 s by itself: the time for a request would be up to four times as long as it says. */
const CHECK_INTERVAL_MS = 1_000
const HEADERS = { 'cache-control': 'no-store' }
/** By the code of the error, what is told of what never became a request. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

export interface OpsDeps {
  readiness: ReadinessProbe
  metrics: { contentType: string; text(): Promise<string> }
}

/** What operators' own machines ask, on a port of its own that nobody else should reach: it asks for no credential. */
export function createOpsApp({ readiness, metrics }: OpsDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: 1,
    forceCloseConnections: true,
    ...TIMES,
    http: { connectionsCheckingInterval: CHECK_INTERVAL_MS },
    clientErrorHandler: ({ code }, socket) => refuseAndClose(socket, STATUS_LINES[code] ?? '400 Bad Request'),
  })
  app.addHook('onRequest', (request, { raw }, done) => {
    if (!oweAnswer(request.raw, raw)) return void request.raw.socket.destroy()
    raw.once('close', () => settleAnswer(request.raw, raw))
    done()
  })

  app.get('/live', async (_request, reply) => reply.headers(HEADERS).send({ status: 'ok' }))

  app.get('/ready', async (_request, reply) => {
    const state = await readiness.read()
    return reply
      .headers(HEADERS)
      .code(state.ready ? 200 : 503)
      .send(state)
  })

  app.get('/metrics', async (_request, reply) =>
    reply.headers({ ...HEADERS, 'content-type': metrics.contentType }).send(await metrics.text()),
  )
  return app
}

// It says that it closes: whoever keeps connections would otherwise lose the next request on this one.
function refuseAndClose(socket: Socket, status: string): void {
  if (!mayAnswerFault(socket)) return void socket.destroy()
  socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  socket.destroySoon()
}
