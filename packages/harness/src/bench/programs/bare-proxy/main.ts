import { Agent, createServer, request } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { z } from 'zod'
import { createSigner } from './signer.ts'

// The least that forwards a call in Node: both bodies are piped, connections to the upstream are kept. With `sign` the
// body is read first and the four headers of a signed call are added.
const Told = z.object({ upstream: z.url(), sign: z.boolean() })
const told = Told.parse(JSON.parse(process.argv[2] ?? '{}'))

const { hostname, port } = new URL(told.upstream)
const agent = new Agent({ keepAlive: true, maxSockets: 1024 })
const sign = createSigner()

const server = createServer((message, response) => {
  const headers = { ...message.headers }
  const call = request(
    { host: hostname, port, path: message.url, method: message.method, headers, agent },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  call.on('error', () => response.destroy())
  if (!told.sign) {
    message.pipe(call)
    return
  }
  const pieces: Buffer[] = []
  message.on('data', (piece: Buffer) => pieces.push(piece))
  message.on('end', () => {
    const body = Buffer.concat(pieces)
    for (const [name, value] of Object.entries(sign(body))) call.setHeader(name, value)
    call.end(body)
  })
})

const { url } = await listenOnFreePort(server)
process.stdout.write(`listening on ${url}\n`)
