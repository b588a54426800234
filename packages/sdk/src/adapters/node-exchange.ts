import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CapabilityHandler } from '../calls/create-handler.ts'
import { canBeRequested, methodNotAllowed } from './forbidden-methods.ts'
import { readAlready, withAdvice } from './read-already.ts'
import type { NodeListener } from './to-node-listener.ts'

/** What answers the exchanges of one adapter. */
export interface NodeReceiver {
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
  const { method = 'GET' } = request
  if (!canBeRequested(method)) return methodNotAllowed()
  const url = `http://localhost${pathOf(request)}`
  const init = { method, signal, headers: headersOf(request) }
  if (method !== 'POST') return receiver.handler(new Request(url, init))
  const bytes = keptBytes(request)
  if (bytes === null && (request.readableDidRead || request.readableEnded)) {
    return withAdvice(await receiver.handler(await readAlready(url, init)), receiver.rawBodyAdvice)
  }
  const withBody = { ...init, body: bytes ?? streamOf(request), duplex: 'half' as const }
  const given = await receiver.handler(new Request(url, withBody))
  return given.status === 413 ? closing(given, request) : given
}

// The rest of an oversized body would be read as the next request.
function closing(given: Response, request: IncomingMessage): Response {
  request.resume()
  if (request.httpVersionMajor > 1) return given
  const headers = new Headers(given.headers)
  headers.set('connection', 'close')
  return new Response(given.body, { status: given.status, headers })
}

// The body is read only when the handler asks for it: a request that fails the header checks has none read.
function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  let chunks: NodeJS.AsyncIterator<Uint8Array> | undefined
  return new ReadableStream(
    {
      async pull(controller) {
        // The request is left open when the reader stops: destroying it would take the answer’s socket with it.
        chunks ??= request.iterator({ destroyOnReturn: false })
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks?.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

// `express.raw()` leaves the bytes in `body`, serverless hosts that parse for you in `rawBody`.
function keptBytes(request: IncomingMessage): Uint8Array<ArrayBuffer> | null {
  if ('rawBody' in request && request.rawBody instanceof Uint8Array) return new Uint8Array(request.rawBody)
  if ('body' in request && request.body instanceof Uint8Array) return new Uint8Array(request.body)
  return null
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = String(request.rawHeaders[index])
    // HTTP/2 carries method and path among its headers.
    if (!name.startsWith(':')) headers.append(name, String(request.rawHeaders[index + 1]))
  }
  return headers
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
