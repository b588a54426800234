import { createServer, type ServerResponse } from 'node:http'
import { eventsOfTurn, listenOnFreePort } from '@svc/testkit'

// A model's provider that speaks evenly: to every request the same number of pieces, one in every interval.
const { events, intervalMs }: { events: number; intervalMs: number } = JSON.parse(process.argv[2] ?? '{}')

const usage = { inputTokens: 24, outputTokens: events * 4 }
const [, ...pieces] = eventsOfTurn({ text: Array(events).fill('a word or two '), usage }, 'fake')
const last = pieces.splice(events - 1).join('')

function speak(response: ServerResponse): void {
  let sent = 0
  const next = () => {
    const piece = pieces[sent]
    sent += 1
    if (piece !== undefined) response.write(piece)
    else response.end(last)
    if (piece === undefined) clearInterval(timer)
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
