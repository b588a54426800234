import type { CapabilityHandler } from '../calls/create-handler.ts'
import { rawBodyRequired } from '../calls/raw-body-required.ts'
import { checkHandler } from './check-handler.ts'

const RAW_BODY_ADVICE =
  'On Lambda: use the proxy integration, and take the body parser out of the middleware in front of this handler.'

/** What is used of an event: API Gateway’s REST (1.0) and HTTP (2.0) forms, function URLs, load balancers. */
export interface LambdaHttpEvent {
  readonly httpMethod?: string | undefined
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined
  readonly multiValueHeaders?: { readonly [name: string]: readonly string[] | undefined } | null | undefined
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean | undefined
  readonly requestContext?: LambdaRequestContext | undefined
}

// One property of each form, so that TypeScript sees what they have in common.
interface LambdaRequestContext {
  readonly http?: { readonly method: string } | undefined
  readonly stage?: string | undefined
  readonly elb?: unknown
}

/** What is used of an invocation’s context. */
export interface LambdaContext {
  getRemainingTimeInMillis?(): number
}

/** An answer that each of the event forms understands; headers in the form that the event had them in. */
export interface LambdaHttpResult {
  statusCode: number
  headers?: Record<string, string>
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded: boolean
}

export interface LambdaOptions {
  /** How long before the function’s time limit a call’s signal aborts, in milliseconds. Default 1,000. */
  readonly abortMarginMs?: number | undefined
  /** Runs a task after a delay and gives what cancels it. Default: `setTimeout`. */
  readonly schedule?: ((task: () => void, delayMs: number) => () => void) | undefined
}

/** A function’s entry point. */
export type LambdaHandler = (event: LambdaHttpEvent, context?: LambdaContext) => Promise<LambdaHttpResult>

/**
 * Serves a handler as an AWS Lambda function behind API Gateway, a function URL or a load balancer.
 * Functions come and go: give the handler a nonce store that they share. Rejects only for an event that is not HTTP.
 * @example
 * export const handler = toLambdaHandler(createHandler({ runtime, runtimeId, secret, nonceStore }))
 */
export function toLambdaHandler(handler: CapabilityHandler, options: LambdaOptions = {}): LambdaHandler {
  checkHandler('toLambdaHandler', handler)
  const { abortMarginMs = 1_000, schedule = scheduleWithTimer } = options
  return async (event, context) => {
    const method = methodOf(event)
    const deadline = new AbortController()
    const remainingMs = context?.getRemainingTimeInMillis?.()
    const cancel = remainingMs === undefined ? null : schedule(() => deadline.abort(), remainingMs - abortMarginMs)
    try {
      return toResult(event, await answer(handler, event, { method, signal: deadline.signal }))
    } catch {
      return toResult(event, Response.json({ error: 'internal_error' }, { status: 500 }))
    } finally {
      cancel?.()
    }
  }
}

function methodOf(event: LambdaHttpEvent): string {
  const method = event.requestContext?.http?.method ?? event.httpMethod
  if (typeof method === 'string') return method
  throw new TypeError(
    'toLambdaHandler: this event is not an HTTP request. Invoke the function through API Gateway, a function URL or a load balancer.',
  )
}

async function answer(
  handler: CapabilityHandler,
  event: LambdaHttpEvent,
  parts: { readonly method: string; readonly signal: AbortSignal },
): Promise<Response> {
  const { method, signal } = parts
  const init = { method, signal, headers: headersOf(event) }
  if (method !== 'POST') return handler(new Request('http://localhost/', init))
  const body = bytesOf(event)
  if (body) return handler(new Request('http://localhost/', { ...init, body }))
  const { error, message } = rawBodyRequired('read')
  return Response.json({ error, message: `${message} ${RAW_BODY_ADVICE}` }, { status: 400 })
}

function headersOf(event: LambdaHttpEvent): Headers {
  const headers = new Headers()
  const lists = Object.entries(event.multiValueHeaders ?? event.headers ?? {})
  for (const [name, values = []] of lists) {
    for (const value of [values].flat()) headers.append(name, value)
  }
  return headers
}

function bytesOf({ body, isBase64Encoded }: LambdaHttpEvent): Uint8Array<ArrayBuffer> | null {
  if (body === undefined || body === null) return new Uint8Array()
  if (typeof body !== 'string') return null
  return new Uint8Array(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}

// A load balancer set to several values for a header reads them in that form alone.
async function toResult(event: LambdaHttpEvent, response: Response): Promise<LambdaHttpResult> {
  const headers = [...response.headers]
  const hasListsOnly = Boolean(event.multiValueHeaders) && !event.headers
  return {
    statusCode: response.status,
    ...(hasListsOnly
      ? { multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])) }
      : { headers: Object.fromEntries(headers) }),
    body: await response.text(),
    isBase64Encoded: false,
  }
}

function scheduleWithTimer(task: () => void, delayMs: number): () => void {
  const timer = setTimeout(task, delayMs)
  return () => clearTimeout(timer)
}
