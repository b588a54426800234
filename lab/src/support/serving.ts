import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { CapabilityCall } from '@svc/contract'
import { listenOnFreePort } from '@svc/testkit'
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

/** A call as it reached the owner's code. */
interface Effect {
  callId: string
  executionId: string
}

/** An owner's endpoint that notes each call and answers after a while. `onCall` is told the `tag` of its metadata. */
export async function startCallCounter(
  context: ScenarioContext,
  { afterMs = 0, outputBytes = 2, onCall = (_tag: string) => {} } = {},
) {
  const effects: Effect[] = []
  const url = await startServing(context, async (body, response) => {
    const { callId, executionId, metadata } = CapabilityCall.parse(JSON.parse(body))
    effects.push({ callId, executionId })
    onCall(String(metadata?.['tag'] ?? ''))
    if (afterMs > 0) await pause(afterMs)
    answerJson(response, { output: 'x'.repeat(outputBytes) })
  })
  return { url, effects }
}
