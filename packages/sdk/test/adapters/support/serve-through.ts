import type { IncomingMessage } from 'node:http'
import type { Answer, Sent } from './adapter-suite.ts'
import { listen } from './serve.ts'

/** Those of one connection. */
const OF_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding']

/** Serves on a port what is reached in another way, such as an event of a platform; the address of the path there. */
export async function serveThrough(send: (sent: Sent) => Promise<Answer>, path: string): Promise<string> {
  const { origin } = await listen(async (request, response) => {
    const { status, type, body } = await send(await sentOf(request, path))
    response.writeHead(status, type === null ? {} : { 'content-type': type }).end(JSON.stringify(body))
  })
  return `${origin}${path}`
}

async function sentOf(request: IncomingMessage, path: string): Promise<Sent> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = Object.entries(request.headers).filter(([name]) => !OF_CONNECTION.includes(name))
  return {
    method: request.method ?? 'POST',
    path,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: new Uint8Array(Buffer.concat(chunks)),
  }
}
