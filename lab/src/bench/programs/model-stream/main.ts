import { createServer, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { z } from 'zod'

// A model's provider that speaks evenly: to every request the same number of pieces, one in every interval.
const Told = z.object({ events: z.number().int().min(1), intervalMs: z.number().min(1) })
const { events, intervalMs } = Told.parse(JSON.parse(process.argv[2] ?? '{}'))

const HEAD = { id: 'chatcmpl-double', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'fake' }
const frame = (rest: object) => `data: ${JSON.stringify({ ...HEAD, ...rest })}\n\n`
const PIECE = frame({ choices: [{ index: 0, delta: { content: 'a word or two ' }, finish_reason: null }] })
const USAGE = { prompt_tokens: 24, completion_tokens: events * 4, total_tokens: 24 + events * 4 }
const LAST = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const END = `${LAST}${frame({ choices: [], usage: USAGE })}data: [DONE]\n\n`

function speak(response: ServerResponse): void {
  let sent = 0
  const next = () => {
    sent += 1
    if (sent < events) response.write(PIECE)
    else response.end(PIECE + END)
    if (sent === events) clearInterval(timer)
  }
  const timer = setInterval(next, intervalMs)
  response.once('close', () => clearInterval(timer))
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  next()
}

const server = createServer((message, response) => {
  message.resume()
  message.once('end', () => speak(response))
})

// A connection that is kept between two rounds must not close in the moment of its use.
server.keepAliveTimeout = 0
const { url } = await listenOnFreePort(server)
process.stdout.write(`listening on ${url}\n`)
