import { type FastifyInstance, fastify } from 'fastify'
import type { ReadinessProbe } from '../ops/readiness.ts'

const TIMES = { requestTimeout: 10_000, keepAliveTimeout: 65_000 }
const HEADERS = { 'cache-control': 'no-store' }

export interface OpsDeps {
  readiness: ReadinessProbe
  metrics: { contentType: string; text(): Promise<string> }
}

/** What operators' own machines ask, on a port of its own that nobody else should reach: it asks for no credential. */
export function createOpsApp({ readiness, metrics }: OpsDeps): FastifyInstance {
  const app = fastify({ logger: false, bodyLimit: 1, forceCloseConnections: true, ...TIMES })

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
