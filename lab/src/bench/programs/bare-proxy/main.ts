import { Agent, createServer, request } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'

// The least that forwards a call in Node: both bodies are piped, connections to the upstream are kept.
const { upstream }: { upstream: string } = JSON.parse(process.argv[2] ?? '{}')
const { hostname: host, port } = new URL(upstream)
const agent = new Agent({ keepAlive: true, maxSockets: 1024 })

const server = createServer((message, response) => {
  const { url: path, method, headers } = message
  const call = request({ host, port, path, method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  call.on('error', () => response.destroy())
  message.pipe(call)
})

const { url } = await listenOnFreePort(server)
process.stdout.write(`listening on ${url}\n`)
