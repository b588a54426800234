import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request that an example’s own API refuses, in a sentence for the page. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const MOST_BYTES = 16 * 1024

/** The request’s body as JSON. Throws a {@link RequestProblem} for anything else, and past 16 KiB. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Left open when the loop ends early: a destroyed request takes the answer’s socket with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const buffer = Buffer.from(chunk)
    bytes += buffer.length
    if (bytes > MOST_BYTES) throw new RequestProblem(400, 'The body is too large.')
    chunks.push(buffer)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new RequestProblem(400, 'The body must be JSON.')
  }
}

/** Answers with JSON that no cache keeps. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}
