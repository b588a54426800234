import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CapabilityHandler } from '../calls/create-handler.ts'
import { rawBodyRequired } from '../calls/raw-body-required.ts'
import { DEFAULT_MAX_BODY_BYTES } from '../calls/read-body.ts'
import type { NodeListener, NodeListenerOptions } from './to-node-listener.ts'

/** What answers the exchanges of one adapter. */
export interface NodeReceiver extends NodeListenerOptions {
  readonly handler: CapabilityHandler
  /** How the framework is kept from reading the body first. */
  readonly rawBodyAdvice?: string | undefined
}

/** Answers each request with a receiver’s handler. Never throws: no error handler of the application hears of it. */
export function listenWith(receiver: NodeReceiver): NodeListener {
  return (request, response) => {
    void answerExchange(receiver, request, response)
      .then((answer) => send(response, answer))
      .catch(() => response.destroy())
  }
}

/**
 * Gives the handler’s answer to a request of Node’s HTTP server; sending it is the caller’s. Never rejects.
 * The signal that the handler is given aborts when the client leaves before the answer.
 */
export async function answerExchange(
  receiver: NodeReceiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Response> {
  const departure = new AbortController()
  const leave = () => departure.abort()
  response.once('close', leave)
  try {
    return await answer(receiver, request, departure.signal)
  } catch {
    // Its words are the application’s own; the handler has told `onError` what it could.
    return Response.json({ error: 'internal_error' }, { status: 500 })
  } finally {
    response.off('close', leave)
  }
}

async function answer(receiver: NodeReceiver, request: IncomingMessage, signal: AbortSignal): Promise<Response> {
  if (request.method !== 'POST') return receiver.handler(toWebRequest(request, { signal }))
  const body = await readBytes(request, receiver.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES)
  if (body.ok) return receiver.handler(toWebRequest(request, { signal, body: body.bytes }))
  if (body.refusal === 'raw_body_required') {
    const { error, message } = rawBodyRequired('read')
    const { rawBodyAdvice } = receiver
    return Response.json({ error, message: rawBodyAdvice ? `${message} ${rawBodyAdvice}` : message }, { status: 400 })
  }
  // What is left of an oversized body would be read as the next request.
  const headers = request.httpVersionMajor < 2 ? { connection: 'close' } : undefined
  request.resume()
  return Response.json({ error: body.refusal }, { status: 413, ...(headers && { headers }) })
}

type BytesReading =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly refusal: 'raw_body_required' | 'body_too_large' }

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<BytesReading> {
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
  parts: { readonly signal: AbortSignal; readonly body?: Uint8Array<ArrayBuffer> },
): Request {
  const { method = 'GET' } = request
  const headers = new Headers()
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = String(request.rawHeaders[index])
    // HTTP/2 carries method and path among its headers.
    if (!name.startsWith(':')) headers.append(name, String(request.rawHeaders[index + 1]))
  }
  return new Request(`http://localhost${pathOf(request)}`, { method, headers, ...parts })
}

// Express and connect cut the path that they mounted the handler at off `url`.
function pathOf(request: IncomingMessage): string {
  const { url = '/' } = request
  const path = 'originalUrl' in request && typeof request.originalUrl === 'string' ? request.originalUrl : url
  return path.startsWith('/') ? path : '/'
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  if (response.destroyed) return
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) response.appendHeader(name, value)
  response.end(body)
}
