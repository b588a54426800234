import { fastifyCapabilities } from '@svc/sdk/fastify'
import { toNodeListener } from '@svc/sdk/node'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { callBody, signatureHeaders } from '../support/signed-calls.ts'
import { describeAdapter, PATHS } from './support/adapter-suite.ts'
import { sendTo } from './support/serve.ts'
import { shopHandler } from './support/shop-handler.ts'

describeAdapter('Fastify 5', {
  hasRoutes: true,
  tellsDepartures: true,
  answersRejections: true,
  advice: /read the body before this handler\. Mount/,
  async open(handler) {
    const app = Fastify()
    const faults: unknown[] = []
    app.setErrorHandler((error, _request, reply) => {
      faults.push(error)
      return reply.code(599).send()
    })
    await app.register(fastifyCapabilities, { handler, path: PATHS.direct })
    await app.register(fastifyCapabilities, { handler, path: '/svc', prefix: '/api/v1' })
    app.post(PATHS.parsed, (request, reply) => {
      reply.hijack()
      toNodeListener(handler)(request.raw, reply.raw)
    })
    app.post(PATHS.neighbour, async (request) => request.body)
    const origin = await listen(app)
    return { send: (sent) => sendTo(origin, sent), faults }
  },
})

async function listen(app: FastifyInstance): Promise<string> {
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  return app.listen({ port: 0, host: '127.0.0.1' })
}

async function injected(
  app: FastifyInstance,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  const body = callBody('echo', { input: { a: 1 } })
  const signature = await signatureHeaders({ body })
  return app.inject({ method: 'POST', url: '/svc', headers: { ...headers, ...signature }, payload: body })
}

test.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/octet-stream' }])(
  'a call with the content type %j is answered all the same',
  async (headers) => {
    const app = Fastify()
    await app.register(fastifyCapabilities, { handler: shopHandler(), path: '/svc' })
    expect((await injected(app, headers)).json()).toEqual({ output: { a: 1 } })
  },
)

test('a hook that reads the body first is answered with the reason and the fix', async () => {
  const app = Fastify()
  app.addHook('preParsing', async (request) => {
    for await (const _chunk of request.raw);
  })
  await app.register(fastifyCapabilities, { handler: shopHandler(), path: '/svc' })
  const answer = await injected(app)
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toEqual({
    error: 'raw_body_required',
    message: expect.stringMatching(/read the body .* register this plugin outside of every hook that reads bodies/),
  })
})

test('the hooks of the application see the answer and may add to it', async () => {
  const app = Fastify()
  app.addHook('onSend', async (_request, reply) => void reply.header('x-served-by', 'shop'))
  await app.register(fastifyCapabilities, { handler: shopHandler(), path: '/svc' })
  const answer = await injected(app)
  expect(answer.headers).toMatchObject({ 'x-served-by': 'shop', 'cache-control': 'no-store' })
})

test('over HTTP/2 too, the call is answered', async () => {
  const app = Fastify({ http2: true })
  await app.register(fastifyCapabilities, { handler: shopHandler(), path: '/svc' })
  onTestFinished(() => app.close())
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const body = callBody('echo', { input: { a: 1 } })
  expect(await overHttp2(origin, await signatureHeaders({ body }), body)).toEqual({ output: { a: 1 } })
})

test.each([
  [{ path: '/svc' }, 'fastifyCapabilities: handler must be what createHandler() returned.'],
  [{ handler: shopHandler() }, 'fastifyCapabilities: path must be the path that calls arrive at, such as “/svc”.'],
])('a plugin without what it needs is refused at start: %#', async (options, message) => {
  // @ts-expect-error Both are required.
  await expect(Fastify().register(fastifyCapabilities, options)).rejects.toThrow(message)
})

async function overHttp2(origin: string, headers: Record<string, string>, body: string): Promise<unknown> {
  const { connect } = await import('node:http2')
  const session = connect(origin)
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/svc',
      'content-type': 'application/json',
      ...headers,
    })
    stream.end(body)
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    return JSON.parse(text)
  } finally {
    session.close()
  }
}
