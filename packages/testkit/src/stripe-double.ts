import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { createStripeState, type StripeAnswer, type StripeState } from './stripe-state.ts'

/** A request as the double received it. */
export interface RecordedStripeRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The form as it was sent: `line_items[0][quantity]` → `1`. */
  fields: Readonly<Record<string, string>>
}

/** What a request meets in place of an answer: a status with an error of Stripe's form, silence, or a cut connection. */
export type StripeFault = { type: 'status'; status: number; message?: string } | { type: 'silence' } | { type: 'cut' }

/** A Stripe of one's own: checkout sessions and subscriptions over HTTP, and the events that it would send. */
export interface StripeDouble extends Omit<StripeState, 'answer'> {
  /** `http://127.0.0.1:<port>`. */
  url: string
  secretKey: string
  webhookSecret: string
  requests: readonly RecordedStripeRequest[]
  /** The next requests meet these, one each, before they do anything; null lets one pass. */
  failNext(...faults: (StripeFault | null)[]): void
  /** The `stripe-signature` header for a body; `at` in epoch milliseconds. */
  sign(body: string, options: { at: number; secret?: string }): string
  /** Ends what is silent and frees the port. */
  close(): Promise<void>
}

/** Starts a fake of Stripe's API on a free port of the loopback address. */
export async function startStripeDouble(): Promise<StripeDouble> {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`
  const webhookSecret = `whsec_${randomBytes(12).toString('hex')}`
  const requests: RecordedStripeRequest[] = []
  const faults: (StripeFault | null)[] = []
  const { answer: answerOf, ...state } = createStripeState()

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await recorded(message)
    requests.push(request)
    const fault = faults.shift()
    if (fault?.type === 'silence') return
    if (fault?.type === 'cut') return void response.destroy()
    if (fault) return send(response, failure(fault.status, fault.message ?? 'Scripted by the test.'))
    if (message.headers.authorization !== `Bearer ${secretKey}`) {
      return send(response, failure(401, `Invalid API Key provided: ${message.headers.authorization}`))
    }
    send(response, answerOf(request))
  }

  const server = createServer((message, response) => {
    answer(message, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  const { url, close } = await listenOnFreePort(server)
  return {
    ...state,
    url,
    secretKey,
    webhookSecret,
    requests,
    failNext: (...next) => void faults.push(...next),
    sign: (body, { at, secret = webhookSecret }) => signatureOf(body, Math.floor(at / 1000), secret),
    close,
  }
}

function signatureOf(body: string, seconds: number, secret: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

async function recorded(message: IncomingMessage): Promise<RecordedStripeRequest> {
  const pieces: Uint8Array[] = []
  for await (const piece of message) pieces.push(piece)
  const url = new URL(message.url ?? '/', 'http://stripe.test')
  const form = new URLSearchParams(Buffer.concat(pieces).toString('utf8'))
  const fields = Object.fromEntries([...url.searchParams, ...form])
  return { method: message.method ?? '', path: url.pathname, headers: message.headers, fields }
}

function failure(status: number, message: string): StripeAnswer {
  const type = status >= 500 ? 'api_error' : 'invalid_request_error'
  return { status, body: { error: { type, message, code: 'scripted' } } }
}

function send(response: ServerResponse, { status, body }: StripeAnswer): void {
  const headers = { 'content-type': 'application/json', 'request-id': `req_${randomBytes(6).toString('hex')}` }
  response.writeHead(status, headers).end(JSON.stringify(body))
}
