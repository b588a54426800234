import type { IncomingMessage, ServerResponse } from 'node:http'
import { RECEIVER_REFUSALS } from '@svc/contract'
import type { CapabilityHandler } from '../create-handler.ts'
import { DEFAULT_MAX_BODY_BYTES } from '../read-body.ts'

export interface NodeListenerOptions {
  /** Bodies past this are answered 413 and the connection is closed. Default 2 MiB. */
  readonly maxBodyBytes?: number | undefined
}

/** A listener for `http.createServer`, and for every framework that takes one. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Serves a handler with Node’s own HTTP server. Mount it before any body parser: the signature covers the raw bytes.
 * The request’s signal aborts when the client leaves before the answer.
 * @example
 * http.createServer(toNodeListener(createHandler({ runtime, runtimeId, secret }))).listen(8788)
 */
export function toNodeListener(handler: CapabilityHandler, options: NodeListenerOptions = {}): NodeListener {
  const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  return (request, response) => {
    void serve({ handler, maxBodyBytes }, request, response).catch(() => fail(response))
  }
}

interface Settings {
  readonly handler: CapabilityHandler
  readonly maxBodyBytes: number
}

async function serve(settings: Settings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const departure = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) departure.abort()
  })
  const body = await rawBody(request, settings.maxBodyBytes)
  if (!body.ok) return refuse(request, response, body.refusal)
  const answer = await settings.handler(toWebRequest(request, { body: body.bytes, signal: departure.signal }))
  await send(response, answer)
}

type RawBody =
  | { ok: true; bytes: Uint8Array<ArrayBuffer> }
  | { ok: false; refusal: 'raw_body_required' | 'body_too_large' }

async function rawBody(request: IncomingMessage, maxBytes: number): Promise<RawBody> {
  const kept = keptBytes(request)
  if (kept) return kept.byteLength > maxBytes ? { ok: false, refusal: 'body_too_large' } : { ok: true, bytes: kept }
  if (request.readableDidRead || request.readableEnded) return { ok: false, refusal: 'raw_body_required' }
  if (Number(request.headers['content-length']) > maxBytes) return { ok: false, refusal: 'body_too_large' }
  const chunks: Uint8Array[] = []
  let size = 0
  // The stream is left open when the loop ends early: destroying it would take the answer’s socket with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) return { ok: false, refusal: 'raw_body_required' }
    size += chunk.byteLength
    if (size > maxBytes) return { ok: false, refusal: 'body_too_large' }
    chunks.push(chunk)
  }
  return { ok: true, bytes: new Uint8Array(Buffer.concat(chunks)) }
}

// `express.raw()` leaves the bytes in `body`, serverless hosts that parse for you in `rawBody`.
function keptBytes(request: IncomingMessage): Uint8Array<ArrayBuffer> | null {
  if ('rawBody' in request && request.rawBody instanceof Uint8Array) return new Uint8Array(request.rawBody)
  if ('body' in request && request.body instanceof Uint8Array) return new Uint8Array(request.body)
  return null
}

function toWebRequest(
  request: IncomingMessage,
  parts: { body: Uint8Array<ArrayBuffer>; signal: AbortSignal },
): Request {
  const { method = 'GET', url = '/' } = request
  const headers = new Headers()
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    headers.append(String(request.rawHeaders[index]), String(request.rawHeaders[index + 1]))
  }
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://localhost${url.startsWith('/') ? url : '/'}`, {
    ...{ method, headers, signal: parts.signal },
    ...(hasBody && { body: parts.body }),
  })
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  if (response.destroyed) return
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) response.appendHeader(name, value)
  response.end(body)
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: 'raw_body_required' | 'body_too_large',
): void {
  // What is left of an oversized body would be read as the next request.
  if (code === 'body_too_large') response.setHeader('connection', 'close')
  response.statusCode = code === 'body_too_large' ? 413 : RECEIVER_REFUSALS[code]
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ error: code }))
  request.resume()
}

function fail(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.statusCode = 500
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ error: 'internal_error' }))
}
