import { SIGNATURE_HEADERS } from '@svc/contract'
import { createHandler, defineCapability, defineRuntime } from '@svc/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bytesOf,
  callBody,
  fakeClock,
  NOW,
  RUNTIME_ID,
  SECRET,
  signatureHeaders,
  signedRequest,
} from './support/signed-calls.ts'

const NAMES = Object.values(SIGNATURE_HEADERS)
const isSafeHeader = (value: string) => value === value.trim()
// What a header may carry: printable Latin-1. White space around it is not part of the value.
const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .filter(isSafeHeader)

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

async function post(headers: Record<string, string>, body: Uint8Array<ArrayBuffer>) {
  const { ran, handler } = setUp()
  const response = await handler(new Request('http://localhost/svc', { method: 'POST', headers, body }))
  return { ran: ran.length, status: response.status, text: await response.text() }
}

const refused = (answer: { ran: number; status: number; text: string }) => {
  expect(answer.ran).toBe(0)
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(answer.text).toMatch(/^\{"error":"[a-z_]+"\}$/)
}

test('the call that the others are mutations of is accepted', async () => {
  expect(await post(await signatureHeaders({}), bytesOf(callBody('echo')))).toMatchObject({ ran: 1, status: 200 })
})

test('a header with any other value is refused, and nothing throws', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), headerText, async (name, value) => {
      const headers = await signatureHeaders({})
      fc.pre(headers[name] !== value)
      refused(await post({ ...headers, [name]: value }, bytesOf(callBody('echo'))))
    }),
    { numRuns: 500 },
  )
})

test('a header with one character replaced, dropped or added is refused', async () => {
  const edit = fc.record({
    name: fc.constantFrom(...NAMES),
    at: fc.nat(),
    remove: fc.nat(1),
    insert: headerText.filter((text) => text.length < 2),
  })
  await fc.assert(
    fc.asyncProperty(edit, async ({ name, at, remove, insert }) => {
      const headers = await signatureHeaders({})
      const value = headers[name] ?? ''
      const start = at % (value.length + 1)
      const edited = value.slice(0, start) + insert + value.slice(start + remove)
      fc.pre(isSafeHeader(edited) && edited !== value)
      refused(await post({ ...headers, [name]: edited }, bytesOf(callBody('echo'))))
    }),
    { numRuns: 500 },
  )
})

test('a body with bytes replaced, dropped or added is refused', async () => {
  const edit = fc.record({ at: fc.nat(), remove: fc.nat(3), insert: fc.uint8Array({ maxLength: 3 }) })
  await fc.assert(
    fc.asyncProperty(edit, async ({ at, remove, insert }) => {
      const body = bytesOf(callBody('echo'))
      const start = at % (body.length + 1)
      const edited = Uint8Array.from([...body.slice(0, start), ...insert, ...body.slice(start + remove)])
      fc.pre(Buffer.compare(edited, body) !== 0)
      refused(await post(await signatureHeaders({}), edited))
    }),
    { numRuns: 500 },
  )
})

test('headers of one call do not carry the body of another', async () => {
  const other = await signatureHeaders({ body: callBody('echo', { input: { amount: 1 } }) })
  refused(await post(other, bytesOf(callBody('echo', { input: { amount: 1000 } }))))
})

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
    { numRuns: 500 },
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
    { numRuns: 300 },
  )
})
