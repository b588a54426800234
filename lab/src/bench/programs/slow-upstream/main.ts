import { createServer } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { z } from 'zod'

// Answers every request with the same text after the same time.
const Told = z.object({ delayMs: z.number().min(0), type: z.string(), body: z.string() })
const { delayMs, type, body } = Told.parse(JSON.parse(process.argv[2] ?? '{}'))
const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) }

const server = createServer((message, response) => {
  message.resume()
  setTimeout(() => response.writeHead(200, headers).end(body), delayMs)
})

// A connection that is kept between two rounds must not close in the moment of its use.
server.keepAliveTimeout = 0
const { url } = await listenOnFreePort(server)
process.stdout.write(`listening on ${url}\n`)
