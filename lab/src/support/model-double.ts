import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type DoubleTurn, eventsOfTurn } from '@svc/testkit'
import type { ScenarioContext } from './scenario.ts'
import { startServing } from './serving.ts'

/** The events of one turn of the model, which uses 70 tokens. */
export type EncodedTurn = readonly Buffer[]

export function encodeTurn(turn: DoubleTurn): EncodedTurn {
  const usage = { inputTokens: 50, outputTokens: 20 }
  return eventsOfTurn({ ...turn, usage }, 'double').map((event) => Buffer.from(event))
}

/** The answer to one request: a turn, and the pause before each of its events; in one piece without a pause. */
export interface ModelAnswer {
  turn: EncodedTurn
  pauseMs: number
}

/** One request: the `tag:` in its conversation, and its position among the requests of that tag, from 0. */
interface ModelRequest {
  tag: string
  index: number
}

/** An OpenAI-compatible model. `variables` have a server use it; `counts` has the requests of each tag. */
export async function startModelDouble(
  context: Pick<ScenarioContext, 'onEnd'>,
  answerOf: (request: ModelRequest, body: string) => ModelAnswer,
) {
  const counts = new Map<string, number>()
  let open = 0
  const url = await startServing(context, async (body, response) => {
    const tag = /tag:([\w-]+)/.exec(body)?.[1] ?? ''
    const index = counts.get(tag) ?? 0
    counts.set(tag, index + 1)
    open += 1
    response.once('close', () => {
      open -= 1
    })
    await send(response, answerOf({ tag, index }, body))
  })
  const variables = {
    SVC_MODEL: 'openai-compatible:double',
    SVC_MODEL_BASE_URL: `${url}/v1`,
    SVC_MODEL_API_KEY: 'none',
  }
  return { variables, counts, open: () => open }
}

async function send(response: ServerResponse, { turn, pauseMs }: ModelAnswer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders()
  for (const bytes of pauseMs > 0 ? turn : [Buffer.concat(turn)]) {
    if (pauseMs > 0) await pause(pauseMs)
    if (response.destroyed) return
    await new Promise<void>((sent) => response.write(bytes, () => sent()))
  }
  response.end()
}

/** The number of tool results in a request to the model. */
export function resultsIn(body: string): number {
  return body.split('"role":"tool"').length - 1
}

/** Variables for a model that answers with its turns in order, by the number of results it was given; an event every so often. */
export async function startTurns(context: ScenarioContext, turns: readonly DoubleTurn[], pauseMs = 0) {
  const encoded = turns.map(encodeTurn)
  const double = await startModelDouble(context, (_, body) => {
    return { turn: encoded[resultsIn(body)] ?? encoded.at(-1) ?? [], pauseMs }
  })
  return double.variables
}
