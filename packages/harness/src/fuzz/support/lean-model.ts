import { createServer, type ServerResponse } from 'node:http'
import { type DoubleTurn, eventsOfTurn, listenOnFreePort } from '@svc/testkit'

/** A model that answers everybody with one turn, whose events are made once, one of them every so many milliseconds. */
export async function startLeanModel(
  turn: DoubleTurn,
  everyMs: number,
): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const events = eventsOfTurn(turn, 'lean').map((event) => Buffer.from(event))
  const server = createServer((request, response) => {
    request.resume().on('end', () => play(response, events, everyMs))
  })
  const { url, close } = await listenOnFreePort(server)
  return { baseUrl: `${url}/v1`, close }
}

/** Waits for a listener who takes nothing, as a model does. */
function play(response: ServerResponse, events: readonly Buffer[], everyMs: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  let at = 0
  const timer = setInterval(() => {
    if (response.writableNeedDrain) return
    response.write(events[at])
    at += 1
    if (at < events.length) return
    clearInterval(timer)
    response.end()
  }, everyMs)
  response.once('close', () => clearInterval(timer))
}
