import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import type { WebhookPayload } from '@svc/contract'
import { listenOnFreePort } from '@svc/testkit'
import { onTestFinished } from 'vitest'

export interface ReceivedMessage {
  headers: IncomingHttpHeaders
  body: string
  payload: WebhookPayload
}

/** A webhook's receiver. It answers with `status()`, 204 unless it is told otherwise; null leaves the request open. */
export async function startReceiver(status: (message: ReceivedMessage) => number | null = () => 204) {
  const received: ReceivedMessage[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const message = { headers: request.headers, body, payload: JSON.parse(body) }
    received.push(message)
    const code = status(message)
    if (code !== null) response.writeHead(code, code === 302 ? { location: '/elsewhere' } : {}).end()
  })
  const listening = await listenOnFreePort(server)
  onTestFinished(() => listening.close())
  return { url: `${listening.url}/hook`, received }
}
