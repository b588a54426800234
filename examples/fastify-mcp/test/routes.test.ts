import { createService } from '@svc/example-fastify-mcp'
import { createHandler } from '@svc/sdk'
import { createFakeControlPlane } from '@svc/sdk/testing'
import { expect, test } from 'vitest'

const NOW = Date.UTC(2027, 5, 1, 12)

test('the REST API is what it was', async () => {
  const { app } = createService(() => NOW)
  const answers = await Promise.all(['/stations', '/stations/nope/latest', '/firmware'].map((url) => app.inject(url)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404, 200])
})

test('a report that comes twice is one', async () => {
  const { runtime } = createService(() => NOW)
  const identity = { runtimeId: 'rt_weather', secret: 'the-signing-secret-of-the-weather' }
  const controlPlane = createFakeControlPlane(createHandler({ ...identity, runtime }), identity)
  const fault = { stationId: 'mill', part: 'mast', note: 'It leans to the east.' }
  const first = await controlPlane.callByName('report-fault', fault)
  expect(first).toEqual({ ok: true, output: { faultId: 'F-1' } })
  expect(await controlPlane.repeat()).toEqual(first)
  expect(await controlPlane.callByName('report-fault', fault)).toMatchObject({ output: { faultId: 'F-2' } })
})
