import type { CapabilityHandler } from '@svc/sdk'
import { toExpressHandler } from '@svc/sdk/express'
import type { ErrorRequestHandler } from 'express'
import express5 from 'express'
import express4 from 'express4'
import { expect, test } from 'vitest'
import { callBody, signatureHeaders } from '../support/signed-calls.ts'
import { describeAdapter, PATHS } from './support/adapter-suite.ts'
import { answerOf, listen, sendTo } from './support/serve.ts'
import { shopHandler } from './support/shop-handler.ts'

const versions = [
  ['Express 4', express4],
  ['Express 5', express5],
] as const

for (const [name, express] of versions) {
  describeAdapter(name, {
    hasRoutes: true,
    tellsDepartures: true,
    answersRejections: true,
    advice: /read the body .* before app\.use\(express\.json\(\)\)/,
    async open(handler) {
      const { app, faults } = application(express, handler)
      const { origin } = await listen(app)
      return { send: (sent) => sendTo(origin, sent), faults }
    },
  })
}

function application(express: typeof express5, handler: CapabilityHandler) {
  const faults: unknown[] = []
  const keepFault: ErrorRequestHandler = (error, _request, response, _next) => {
    faults.push(error)
    response.status(599).end()
  }
  const capabilities = toExpressHandler(handler)
  const router = express.Router()
  router.use('/svc', capabilities)
  const app = express()
  app.use(PATHS.direct, capabilities)
  app.use('/api/v1', router)
  app.use(express.json())
  app.use(PATHS.parsed, capabilities)
  app.post(PATHS.neighbour, (request, response) => void response.json(request.body))
  app.use(keepFault)
  return { app, faults }
}

test.each(versions)(
  '%s: express.raw() on the path repairs an application that parses first',
  async (_name, express) => {
    const app = express()
    app.use('/svc', express.raw({ type: '*/*' }))
    app.use(express.json())
    app.use('/svc', toExpressHandler(shopHandler()))
    const { origin } = await listen(app)
    const body = callBody('echo', { input: { a: 1 } })
    const headers = { 'content-type': 'application/json', ...(await signatureHeaders({ body })) }
    const answer = await answerOf(await fetch(`${origin}/svc`, { method: 'POST', headers, body }))
    expect(answer).toMatchObject({ status: 200, body: { output: { a: 1 } } })
  },
)

test.each(versions)('%s: the handler is told the whole address, prefix included', async (_name, express) => {
  const app = express()
  const addresses: string[] = []
  app.use(
    '/api',
    toExpressHandler(async ({ url }) => Response.json(addresses.push(url))),
  )
  const { origin } = await listen(app)
  await fetch(`${origin}/api/svc?a=1`, { method: 'POST' })
  expect(addresses).toEqual(['http://localhost/api/svc?a=1'])
})

test('what is no handler is refused at start', () => {
  // @ts-expect-error A handler is a function.
  expect(() => toExpressHandler({ capabilities: [] })).toThrow(
    'toExpressHandler: handler must be what createHandler() returned.',
  )
})
