import { describe, expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { type Scene, setScene } from '../support/scene.ts'

const SHOP = 'https://shop.example.com'

const BROWSER_ROUTES = [
  ['POST', '/v1/runtime/execute'],
  ['POST', '/v1/runtime/capability'],
  ['POST', '/v1/capabilities/:runtimeId/echo'],
  ['GET', '/v1/runtime/:runtimeId/manifest'],
  ['GET', '/v1/runtime/:runtimeId/openapi.json'],
] as const

const OTHER_PATHS = [
  '/',
  '/health',
  '/v1/runtimes',
  '/v1/runtimes/:runtimeId',
  '/v1/runtimes/:runtimeId/allowed-origins',
  '/v1/executions',
  '/v1/executions/exec_1',
  '/v1/deployments',
  '/v1/runtime/status',
  '/v1/runtime/heartbeat',
  '/v1/runtime/doctor',
  '/v1/runtime/deployment',
  '/v1/nowhere',
]

// Preflights are answered without any store: one engine tells as much as two.
describeEngine('sqlite', 'a browser’s preflight', (engine) => {
  const database = useDatabase(engine)

  describe.each(BROWSER_ROUTES)('for %s %s', (method, path) => {
    // holds ORG-04, ORG-06
    test('is allowed from any origin and without a credential', async () => {
      const scene = await setScene(database())
      for (const origin of [SHOP, 'https://elsewhere.example', 'null']) {
        const asked = {
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization, content-type, x-request-id',
        }
        const answer = await scene.service.inject({
          method: 'OPTIONS',
          url: at(scene, path),
          headers: { origin, ...asked },
        })
        expect([answer.statusCode, answer.payload]).toEqual([204, ''])
        expect(answer.headers['access-control-allow-origin']).toBe(origin)
        expect(answer.headers['access-control-allow-methods']).toBe(method)
        expect(answer.headers['access-control-allow-headers']).toBe(asked['access-control-request-headers'])
        expect(Number(answer.headers['access-control-max-age'])).toBeGreaterThan(0)
        expect(String(answer.headers['vary'])).toContain('origin')
        expect(answer.headers['x-request-id']).toBeDefined()
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
      }
    })

    test('is allowed as a bare OPTIONS, with the headers that the route needs', async () => {
      const scene = await setScene(database())
      const answer = await scene.service.inject({ method: 'OPTIONS', url: at(scene, path) })
      expect(answer.statusCode).toBe(204)
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization, content-type',
      })
    })
  })

  // holds ORG-05
  test.each(OTHER_PATHS)('is not allowed at %s', async (path) => {
    const scene = await setScene(database())
    const url = at(scene, path)
    const preflight = { origin: SHOP, 'access-control-request-method': 'POST' }
    const answer = await scene.service.inject({ method: 'OPTIONS', url, headers: preflight })
    refusalOf(answer, 'not_found')
    const answers = [answer]

    for (const key of [undefined, scene.owner.apiKey, scene.runtime.deployKey, scene.runtime.publicKey]) {
      for (const method of ['GET', 'POST', 'PUT'] as const) {
        answers.push(await scene.service.send(method, url, { headers: { origin: SHOP }, ...(key && { key }) }))
      }
    }
    const names = answers.flatMap(({ headers }) => Object.keys(headers))
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

function at(scene: Scene, path: string): string {
  return path.replace(':runtimeId', scene.runtime.runtimeId)
}
