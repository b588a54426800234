import { createServer } from 'node:net'
import { listenOnFreePort } from '@svc/testkit'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createSchemas } from '../../src/schemas/schemas.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { createRandom, drawInputs, drawSchema, FAMILIES } from '../support/hostile-schemas.ts'
import { setScene } from '../support/scene.ts'
import { builtSchemaThread, capability, deployBody } from '../support/service.ts'

const SEED = Number(process.env['SVC_TEST_SEED'] ?? 7)

describeEngine('sqlite', 'a hostile schema', (engine) => {
  const database = useDatabase(engine)
  // One thread for all: what a schema leaves in it, or a stopped thread, must change nothing for the next one.
  const schemas = createSchemas(builtSchemaThread)
  afterAll(() => schemas.close())

  test.each(Object.entries(FAMILIES))(
    'of the family “%s” is accepted or refused, as is each hard input for it, and nothing is fetched',
    async (_, draw) => {
      const random = createRandom(SEED)
      let fetches = 0
      const bait = await listenOnFreePort(
        createServer((socket) => {
          fetches += 1
          socket.destroy()
        }),
      )
      onTestFinished(bait.close)
      const { service, runtime } = await setScene(database(), { schemas, tier: 'enterprise' })
      const inputSchema = drawSchema(draw, random, bait.url)
      const hostile = capability('hostile', { actions: [{ name: 'hostile', inputSchema }] })
      const body = deployBody({ capabilities: [hostile] })
      const deployed = await service.send('POST', '/v1/deployments', { key: runtime.deployKey, body })
      expect([201, 400]).toContain(deployed.statusCode)
      for (const input of deployed.statusCode === 201 ? drawInputs(random) : []) {
        const called = await service.send('POST', `/v1/capabilities/${runtime.runtimeId}/hostile`, { body: { input } })
        // The scene's endpoint knows no such capability: a call that got there failed.
        expect([400, 502]).toContain(called.statusCode)
      }
      expect(fetches).toBe(0)
      expect(Object.keys(Object.prototype)).toEqual([])
    },
  )
})
