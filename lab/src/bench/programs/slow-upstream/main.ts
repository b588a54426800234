import { createServer } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'

// Answers every request with the same text after the same time.
const { delayMs, type, body }: { delayMs: number; type: string; body: string } = JSON.parse(process.argv[2] ?? '{}')
const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) }

const server = createServer((message, response) => {
  message.resume()
  setTimeout(() => response.writeHead(200, headers).end(body), delayMs)
})

// A connection that is kept between two rounds must not close in the moment of its use.
server.keepAliveTimeout = 0
const { url } = await listenOnFreePort(server)
process.stdout.write(`listening on ${url}\n`)
