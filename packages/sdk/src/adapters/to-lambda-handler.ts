import type { CapabilityHandler } from '../calls/create-handler.ts'
import { checkHandler } from './check-handler.ts'
import { canBeRequested, methodNotAllowed } from './forbidden-methods.ts'
import { readAlready, withAdvice } from './read-already.ts'

const RAW_BODY_ADVICE =
  'On Lambda: use the proxy integration, and take the body parser out of the middleware in front of this handler.'

/** The fields used of an event: API Gateway’s REST (1.0) and HTTP (2.0) forms, function URLs, load balancers. */
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

/** The fields used of an invocation’s context. */
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
  const { abortMarginMs = 1_000 } = options
  return async (event, context) => {
    const method = methodOf(event)
    const deadline = new AbortController()
    const remainingMs = context?.getRemainingTimeInMillis?.()
    const timer =
      remainingMs === undefined ? undefined : setTimeout(() => deadline.abort(), remainingMs - abortMarginMs)
    try {
      return toResult(event, await answer(handler, event, { method, signal: deadline.signal }))
    } catch {
      return toResult(event, Response.json({ error: 'internal_error' }, { status: 500 }))
    } finally {
      clearTimeout(timer)
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
  if (!canBeRequested(method)) return methodNotAllowed()
  const init = { method, signal, headers: headersOf(event) }
  if (method !== 'POST') return handler(new Request(URL, init))
  const body = bytesOf(event)
  if (body) return handler(new Request(URL, { ...init, body }))
  return withAdvice(await handler(await readAlready(URL, init)), RAW_BODY_ADVICE)
}

const URL = 'http://localhost/'

function headersOf(event: LambdaHttpEvent): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(event.multiValueHeaders ?? {})) {
    for (const value of values) headers.append(name, value)
  }
  const listed = new Set(headers.keys())
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    if (value !== undefined && !listed.has(name.toLowerCase())) headers.append(name, value)
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
