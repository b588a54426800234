import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Answer, Sent } from './adapter-suite.ts'

/** Listens on a free port until the running test ends. */
export async function listen(listener: RequestListener): Promise<{ origin: string; port: number }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { origin: `http://127.0.0.1:${address.port}`, port: address.port }
}

/** Sends over a real connection. */
export async function sendTo(origin: string, sent: Sent): Promise<Answer> {
  return answerOf(await fetch(`${origin}${sent.path}`, requestInit(sent)))
}

/** What `fetch` and `new Request` take. */
export function requestInit({ method, headers, body, signal }: Sent): RequestInit {
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  return { method, headers, signal: signal ?? null, ...(hasBody && { body }) }
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: text === '' ? null : JSON.parse(text),
  }
}
