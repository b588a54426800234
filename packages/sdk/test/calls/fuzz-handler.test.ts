import { createHandler, defineCapability, defineRuntime } from '@svc/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TEST_SEED } from '../support/seeded-random.ts'
import { fakeClock, NOW, RUNTIME_ID, SECRET, signedRequest } from '../support/signed-calls.ts'

function setUp() {
  const ran: unknown[] = []
  const echo = defineCapability({ name: 'echo', version: '1.0.0', handler: (input) => ran.push(input) })
  const clock = fakeClock()
  const handler = createHandler({
    runtime: defineRuntime({ capabilities: [echo] }),
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock,
  })
  return { ran, handler }
}

test('any signed JSON is answered in one of the known ways, and nothing throws', async () => {
  const fields = fc.record(
    {
      executionId: fc.jsonValue(),
      callId: fc.jsonValue(),
      capability: fc.oneof(fc.constant('echo'), fc.jsonValue()),
      input: fc.jsonValue(),
      metadata: fc.jsonValue(),
      endUserToken: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(fields, fc.jsonValue()), async (payload) => {
      const { handler } = setUp()
      const response = await handler(await signedRequest({ body: JSON.stringify(payload), timestamp: String(NOW) }))
      expect([200, 400, 404]).toContain(response.status)
    }),
    { numRuns: 500, seed: TEST_SEED },
  )
})

test('any signed bytes are answered in one of the known ways, and nothing throws', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (body) => {
      const { handler, ran } = setUp()
      const response = await handler(await signedRequest({ body }))
      expect([400, 404]).toContain(response.status)
      expect(ran).toEqual([])
    }),
    { numRuns: 300, seed: TEST_SEED },
  )
})
