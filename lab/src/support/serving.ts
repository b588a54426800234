import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { type DoubleTurn, eventsOfTurn, listenOnFreePort } from '@svc/testkit'
import type { ScenarioContext } from './scenario.ts'

export type Answer = (body: string, response: ServerResponse, request: IncomingMessage) => unknown

/** A server on a free port, closed with the scenario. It reads each request whole; a throw of `answer` drops the connection. */
export async function startServing({ onEnd }: Pick<ScenarioContext, 'onEnd'>, answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(body, response, request))
      .catch(() => response.destroy())
  })
  server.keepAliveTimeout = 0
  const { url, close } = await listenOnFreePort(server)
  onEnd(close)
  return url
}

export function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Variables that have a server use the model at an address. */
export function modelAt(url: string): Record<string, string> {
  return { SVC_MODEL: 'openai-compatible:double', SVC_MODEL_BASE_URL: `${url}/v1`, SVC_MODEL_API_KEY: 'none' }
}

/** A model that says its turns in order, by how many results it has been given; an event every so many milliseconds. */
export async function startTurns(
  context: Pick<ScenarioContext, 'onEnd'>,
  turns: readonly DoubleTurn[],
  everyMs = 0,
): Promise<Record<string, string>> {
  const spoken = turns.map((turn) => eventsOfTurn(turn, 'double'))
  const url = await startServing(context, async (body, response) => {
    const results = body.split('"role":"tool"').length - 1
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const events = spoken[Math.min(results, spoken.length - 1)] ?? []
    if (everyMs === 0) {
      response.end(events.join(''))
      return
    }
    for (const event of events) {
      await pause(everyMs)
      // A listener who takes nothing is waited for, as a model does.
      while (response.writableNeedDrain && !response.destroyed) await pause(everyMs)
      if (response.destroyed) return
      response.write(event)
    }
    response.end()
  })
  return modelAt(url)
}
