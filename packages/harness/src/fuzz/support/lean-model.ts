import { createServer, type ServerResponse } from 'node:http'
import { type DoubleTurn, eventsOfTurn, listenOnFreePort } from '@svc/testkit'

/** A model that answers everybody with one turn, whose events are made once: for many streams at a time. */
export async function startLeanModel(turn: DoubleTurn): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const events = eventsOfTurn(turn, 'lean').map((event) => Buffer.from(event))
  const server = createServer((request, response) => {
    request.resume().on('end', () => play(response, events))
  })
  const { url, close } = await listenOnFreePort(server)
  return { baseUrl: `${url}/v1`, close }
}

function play(response: ServerResponse, events: readonly Buffer[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  let at = 0
  const pour = () => {
    for (; at < events.length; at += 1) {
      if (response.destroyed) return
      if (!response.write(events[at])) {
        at += 1
        response.once('drain', pour)
        return
      }
    }
    response.end()
  }
  pour()
}
