import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type DoubleTurn, eventsOfTurn } from '@svc/testkit'
import type { ScenarioContext } from './scenario.ts'
import { startServing } from './serving.ts'

export interface Tokens {
  inputTokens: number
  outputTokens: number
}

export const NO_TOKENS: Tokens = { inputTokens: 0, outputTokens: 0 }

/** One turn as the bytes of its events, each with the tokens that were reported by then. */
export interface SpokenTurn {
  events: readonly { bytes: Buffer; reported: Tokens }[]
  /** Bytes up to the end of the event with the finish reason; of the whole where there is none. */
  finishedAt: number
  bytes: Buffer
}

/** A turn of a model that reports its counts while it speaks: so a cut stream has something to be metered. */
export function speakTurn(turn: DoubleTurn, usage: Tokens = { inputTokens: 50, outputTokens: 20 }): SpokenTurn {
  const plain = eventsOfTurn({ ...turn, usage }, 'double')
  const middle = Math.ceil(plain.length / 2)
  const early = reportOf({ ...usage, outputTokens: 1 })
  const half = reportOf({ ...usage, outputTokens: Math.ceil(usage.outputTokens / 2) })
  let reported = NO_TOKENS
  let finishedAt = 0
  let length = 0
  const events = [...plain.slice(0, 1), early, ...plain.slice(1, middle), half, ...plain.slice(middle)].map((text) => {
    const bytes = Buffer.from(text)
    const report = /"prompt_tokens":(\d+),"completion_tokens":(\d+)/.exec(text)
    if (report) reported = { inputTokens: Number(report[1]), outputTokens: Number(report[2]) }
    length += bytes.length
    if (finishedAt === 0 && /"finish_reason":"/.test(text)) finishedAt = length
    return { bytes, reported }
  })
  return { events, finishedAt: finishedAt || length, bytes: Buffer.concat(events.map(({ bytes }) => bytes)) }
}

function reportOf({ inputTokens, outputTokens }: Tokens): string {
  const total = inputTokens + outputTokens
  const usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: total }
  const head = { id: 'chatcmpl-double', object: 'chat.completion.chunk', created: 0, model: 'double' }
  return `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`
}

/** The tokens that were reported once this many bytes of the turn have arrived. */
export function reportedBy({ events }: SpokenTurn, bytes: number): Tokens {
  let [end, known] = [0, NO_TOKENS]
  for (const event of events) {
    end += event.bytes.length
    if (end > bytes) return known
    known = event.reported
  }
  return known
}

/** The answer of a model to one request. */
export interface ModelPlay {
  /** An error answer in place of a stream. */
  refusal?: { status: number; headers?: Readonly<Record<string, string>> }
  /** Sent one after the other, each after its pause. */
  pieces: readonly { pauseMs: number; bytes: Buffer }[]
  /** An orderly end, a dropped connection, or nothing more for as long as the client stays. */
  end: 'end' | 'drop' | 'stall'
}

export function playWhole({ bytes }: SpokenTurn): ModelPlay {
  return { pieces: [{ pauseMs: 0, bytes }], end: 'end' }
}

/** The turn event by event, with a pause before each. */
export function playSlowly({ events }: SpokenTurn, pauseMs: number): ModelPlay {
  return { pieces: events.map(({ bytes }) => ({ pauseMs, bytes })), end: 'end' }
}

/** One request as the double saw it. Times are of `performance.now()`. */
export interface ModelExchange {
  /** The `tag:` in the conversation. */
  tag: string
  /** Position among the requests of its tag, from 0. */
  index: number
  arrivedAt: number
  /** When each piece had been handed to the socket. */
  sentAt: number[]
  /** Null while the connection is held. */
  closedAt: number | null
  /** Whether the client left before the play was over. */
  wasLeft: boolean
}

type Play = (exchange: Pick<ModelExchange, 'tag' | 'index'>, body: string) => ModelPlay

/** An OpenAI-compatible model that plays bytes and notes times. `variables` have a server use it. */
export async function startModelDouble(context: Pick<ScenarioContext, 'onEnd'>, play: Play) {
  const exchanges: ModelExchange[] = []
  const counts = new Map<string, number>()
  const url = await startServing(context, async (body, response) => {
    const tag = /tag:([\w-]+)/.exec(body)?.[1] ?? ''
    const index = counts.get(tag) ?? 0
    counts.set(tag, index + 1)
    const arrivedAt = performance.now()
    const exchange: ModelExchange = { tag, index, arrivedAt, sentAt: [], closedAt: null, wasLeft: true }
    exchanges.push(exchange)
    response.once('close', () => {
      exchange.closedAt = performance.now()
    })
    await perform(response, play(exchange, body), exchange)
  })
  const variables = {
    SVC_MODEL: 'openai-compatible:double',
    SVC_MODEL_BASE_URL: `${url}/v1`,
    SVC_MODEL_API_KEY: 'none',
  }
  return { variables, exchanges, counts }
}

// A dropped connection loses the bytes that its reader has not fetched yet.
const BEFORE_DROP_MS = 200

async function perform(response: ServerResponse, play: ModelPlay, exchange: ModelExchange): Promise<void> {
  const { refusal, pieces, end } = play
  if (refusal) {
    exchange.wasLeft = false
    response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers })
    response.end('{"error":{"message":"Refused as scripted.","type":"scripted","param":null,"code":null}}')
    return
  }
  if (pieces.length > 0 || end !== 'stall')
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders()
  for (const { pauseMs, bytes } of pieces) {
    if (pauseMs > 0) await pause(pauseMs)
    if (response.destroyed) return
    if (bytes.length > 0) await new Promise<void>((sent) => response.write(bytes, () => sent()))
    exchange.sentAt.push(performance.now())
  }
  if (end === 'stall') return
  if (end === 'drop') await pause(BEFORE_DROP_MS)
  exchange.wasLeft = response.destroyed
  if (end === 'drop') response.destroy()
  else response.end()
}

/** How many results of calls stand in the request of a model. */
export function resultsIn(body: string): number {
  return body.split('"role":"tool"').length - 1
}

/** Variables for a model that says its turns in order, by how many results it has been given; an event every so often. */
export async function startTurns(context: ScenarioContext, turns: readonly DoubleTurn[], everyMs = 0) {
  const plays = turns.map((turn) => {
    const spoken = speakTurn(turn)
    return everyMs === 0 ? playWhole(spoken) : playSlowly(spoken, everyMs)
  })
  const whole: ModelPlay = { pieces: [], end: 'end' }
  const double = await startModelDouble(context, (_, body) => plays[resultsIn(body)] ?? plays.at(-1) ?? whole)
  return double.variables
}
