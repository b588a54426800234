import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { z } from 'zod'

// The least that hands a model's stream on in Node event by event, as a service must that writes another dialect.
const { upstream } = z.object({ upstream: z.url() }).parse(JSON.parse(process.argv[2] ?? '{}'))
const Piece = z.object({ choices: z.array(z.object({ delta: z.object({ content: z.string().optional() }) })) })

const { hostname: host, port } = new URL(upstream)
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

function relayEvents(answer: IncomingMessage, response: ServerResponse): void {
  let rest = ''
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) relayEvent(frame.slice('data: '.length), response)
  })
  answer.once('end', () => response.end())
}

function relayEvent(data: string, response: ServerResponse): void {
  if (data === '[DONE]') {
    response.write(`event: done\ndata: ${JSON.stringify({ type: 'done', status: 'completed' })}\n\n`)
    return
  }
  const content = Piece.parse(JSON.parse(data)).choices[0]?.delta.content
  if (content !== undefined) response.write(`event: text\ndata: ${JSON.stringify({ type: 'text', content })}\n\n`)
}

const server = createServer((message, response) => {
  const path = '/v1/chat/completions'
  const call = request({ host, port, path, method: 'POST', headers: message.headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { 'content-type': 'text/event-stream; charset=utf-8' })
    relayEvents(answer, response)
  })
  call.on('error', () => response.destroy())
  message.pipe(call)
})

const { url } = await listenOnFreePort(server)
process.stdout.write(`listening on ${url}\n`)
