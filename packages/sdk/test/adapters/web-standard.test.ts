import type { CapabilityHandler } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
import { Hono } from 'hono'
import { describeAdapter, PATHS } from './support/adapter-suite.ts'
import { answerOf, listen, requestInit, sendTo } from './support/serve.ts'

describeAdapter('the handler alone, as route handlers and fetch() exports have it', {
  hasRoutes: false,
  tellsDepartures: true,
  answersRejections: false,
  advice: /read the body before this handler\. Mount/,
  open(handler) {
    return {
      faults: [],
      async send(sent) {
        const request = new Request(`http://localhost${sent.path}`, requestInit(sent))
        if (sent.path === PATHS.parsed) await request.json()
        return answerOf(await handler(request))
      },
    }
  },
})

describeAdapter('Hono', {
  hasRoutes: false,
  tellsDepartures: true,
  answersRejections: false,
  advice: /read the body before this handler\. Mount/,
  open(handler) {
    const { app, faults } = application(handler)
    return { faults, send: async (sent) => answerOf(await app.request(sent.path, requestInit(sent))) }
  },
})

describeAdapter('Hono over Node’s HTTP server', {
  hasRoutes: true,
  tellsDepartures: true,
  answersRejections: false,
  advice: /read the body before this handler\. Mount/,
  async open(handler) {
    const { app, faults } = application(handler)
    const { origin } = await listen(toNodeListener(async (request) => app.fetch(request)))
    return { faults, send: (sent) => sendTo(origin, sent) }
  },
})

function application(handler: CapabilityHandler) {
  const faults: unknown[] = []
  const app = new Hono()
  app.all(PATHS.direct, (context) => handler(context.req.raw))
  app.route(
    '/api/v1',
    new Hono().all('/svc', (context) => handler(context.req.raw)),
  )
  app.use(PATHS.parsed, async (context, next) => {
    await context.req.json()
    return next()
  })
  app.all(PATHS.parsed, (context) => handler(context.req.raw))
  app.post(PATHS.neighbour, async (context) => context.json(await context.req.json()))
  app.onError((error, context) => {
    faults.push(error)
    return context.json({ error: 'internal_error' }, 500)
  })
  return { app, faults }
}
