import { toLambdaHandler } from '@svc/sdk/lambda'
import type { ALBHandler, APIGatewayProxyHandler, APIGatewayProxyHandlerV2 } from 'aws-lambda'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callBody, signatureHeaders } from '../support/signed-calls.ts'
import { describeAdapter, PATHS, type Sent } from './support/adapter-suite.ts'
import { shopHandler, waitForDeparture } from './support/shop-handler.ts'

type Event = Parameters<ReturnType<typeof toLambdaHandler>>[0]
type Encoding = 'utf8' | 'base64'

const titleCase = (name: string) => name.replaceAll(/(^|-)([a-z])/g, (letters) => letters.toUpperCase())
const lists = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
const inTitleCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [titleCase(name), value]))

/** The events of each platform, as its documentation gives them. */
const EVENTS: Record<string, (sent: Sent) => Event & { requestContext?: object }> = {
  'API Gateway, REST': ({ method, headers }) => ({
    httpMethod: method,
    headers: inTitleCase(headers),
    multiValueHeaders: lists(inTitleCase(headers)),
    requestContext: { httpMethod: method, stage: 'prod' },
  }),
  'API Gateway, HTTP, and function URLs': ({ method, headers, path }) => ({
    version: '2.0',
    rawPath: path,
    headers,
    requestContext: { http: { method, path }, stage: '$default' },
  }),
  'a load balancer': ({ method, headers }) => ({ httpMethod: method, headers, requestContext: { elb: {} } }),
  'a load balancer with lists of headers': ({ method, headers }) => ({
    httpMethod: method,
    multiValueHeaders: lists(headers),
    requestContext: { elb: {} },
  }),
}

for (const [name, eventOf] of Object.entries(EVENTS)) {
  for (const encoding of ['utf8', 'base64'] as const) {
    describeAdapter(`Lambda behind ${name}, ${encoding}`, {
      hasRoutes: false,
      tellsDepartures: false,
      answersRejections: true,
      advice: /read the body .* take the body parser out of the middleware/,
      open(handler) {
        const invoke = toLambdaHandler(handler)
        return {
          faults: [],
          async send(sent) {
            const result = await invoke({ ...eventOf(sent), ...bodyOf(sent, encoding) })
            const headers = result.headers ?? result.multiValueHeaders ?? {}
            const type = headers['content-type'] ?? null
            const { statusCode: status, body } = result
            return { status, type: Array.isArray(type) ? type.join() : type, body: body ? JSON.parse(body) : null }
          },
        }
      },
    })
  }
}

function bodyOf({ body, path }: Sent, encoding: Encoding): Pick<Event, 'body' | 'isBase64Encoded'> {
  if (body === undefined) return { body: null, isBase64Encoded: false }
  const bytes = Buffer.from(body)
  if (path === PATHS.parsed) return { body: JSON.parse(bytes.toString()), isBase64Encoded: false }
  return { body: bytes.toString(encoding), isBase64Encoded: encoding === 'base64' }
}

async function signedEvent(capability: string): Promise<Event> {
  const body = callBody(capability)
  const headers = { 'content-type': 'application/json', ...(await signatureHeaders({ body })) }
  return { httpMethod: 'POST', headers, body, isBase64Encoded: false }
}

test('an answer has its headers in the form that the event had them in, and in no other', async () => {
  const invoke = toLambdaHandler(shopHandler())
  const { headers, ...event } = await signedEvent('echo')
  const single = await invoke({ ...event, headers: headers ?? {} })
  const multiple = await invoke({ ...event, multiValueHeaders: { 'X-Any': ['a', 'b'] } })
  expect(single.headers).toEqual({ 'cache-control': 'no-store', 'content-type': 'application/json' })
  expect(single).not.toHaveProperty('multiValueHeaders')
  expect(multiple.multiValueHeaders).toEqual({ 'cache-control': ['no-store'], 'content-type': ['application/json'] })
  expect(multiple).not.toHaveProperty('headers')
})

test('a method that no Request can have is answered as any other', async () => {
  expect((await toLambdaHandler(shopHandler())({ httpMethod: 'TRACE' })).statusCode).toBe(405)
})

test('headers are found in either form, whichever of the two is empty', async () => {
  const event = await signedEvent('echo')
  expect((await toLambdaHandler(shopHandler())({ ...event, multiValueHeaders: {} })).statusCode).toBe(200)
})

test('a signature header that came twice is not the one that was signed', async () => {
  const { headers, ...event } = await signedEvent('echo')
  const signed = { ...headers }
  const nonce = String(signed['x-svc-nonce'])
  const twice = { ...lists(inTitleCase(signed as Record<string, string>)), 'X-Svc-Nonce': [nonce, nonce] }
  const answer = await toLambdaHandler(shopHandler())({ ...event, multiValueHeaders: twice })
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([401, { error: 'signature_mismatch' }])
})

test('the signal aborts before the function’s time is over, and the timer ends with the call', async () => {
  useTestTimers()
  const { entered, onCall } = waitForDeparture()
  const invoke = toLambdaHandler(shopHandler(onCall), { abortMarginMs: 400 })
  const answered = invoke(await signedEvent('wait'), { getRemainingTimeInMillis: () => 3_000 })
  const signal = await entered
  vi.advanceTimersByTime(2_599)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
  expect((await answered).statusCode).toBe(200)
  await invoke(await signedEvent('echo'), { getRemainingTimeInMillis: () => 3_000 })
  expect(vi.getTimerCount()).toBe(0)
})

test('by itself the signal aborts a second before the end', async () => {
  useTestTimers()
  const { entered, onCall } = waitForDeparture()
  const answered = toLambdaHandler(shopHandler(onCall))(await signedEvent('wait'), {
    getRemainingTimeInMillis: () => 3_000,
  })
  const signal = await entered
  vi.advanceTimersByTime(1_999)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
  await answered
})

function useTestTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('an event that is no HTTP request is refused with what to do', async () => {
  await expect(toLambdaHandler(shopHandler())({ body: '{}' })).rejects.toThrow(
    /Invoke the function through API Gateway/,
  )
})

test('the types fit those that functions are written with', () => {
  const invoke = toLambdaHandler(shopHandler())
  const handlers: [APIGatewayProxyHandler, APIGatewayProxyHandlerV2, ALBHandler] = [invoke, invoke, invoke]
  expect(handlers).toHaveLength(3)
})
