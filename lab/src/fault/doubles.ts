import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { CapabilityCall } from '@svc/contract'
import { type DoubleTurn, eventsOfTurn } from '@svc/testkit'
import { Pool } from 'undici'
import { z } from 'zod'
import type { ScenarioContext } from '../support/scenario.ts'
import { answerJson, modelAt, startServing } from '../support/serving.ts'

/** A call as it reached the owner's code. */
export interface Effect {
  callId: string
  executionId: string
}

export interface CallCounterOptions {
  afterMs?: number
  outputBytes?: number
  /** Told of every call as it arrives, with the `tag` of its metadata. */
  onCall?: (tag: string) => void
}

/** An owner's endpoint that notes each call and answers after a while. */
export async function startCallCounter(context: ScenarioContext, options: CallCounterOptions = {}) {
  const { afterMs = 0, outputBytes = 2, onCall } = options
  const effects: Effect[] = []
  const url = await startServing(context, async (body, response) => {
    const { callId, executionId, metadata } = CapabilityCall.parse(JSON.parse(body))
    effects.push({ callId, executionId })
    onCall?.(String(metadata?.['tag'] ?? ''))
    if (afterMs > 0) await pause(afterMs)
    answerJson(response, { output: 'x'.repeat(outputBytes) })
  })
  return { url, effects }
}

/** The answer of a model to one request. */
export interface ModelPlay {
  /** An error answer in place of a stream. */
  refusal?: { status: number; headers?: Readonly<Record<string, string>> }
  /** Sent one after the other, each after its pause. */
  pieces: readonly { pauseMs: number; bytes: Uint8Array }[]
  /** An orderly end, a dropped connection, or nothing more for as long as the client stays. */
  end: 'end' | 'drop' | 'stall'
}

/** One request as the double saw it. Times are of `performance.now()`. */
export interface ModelExchange {
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

// A dropped connection loses the bytes that its reader has not fetched yet.
const BEFORE_DROP_MS = 200

/** An OpenAI-compatible model that plays bytes and notes times, by the `tag:` in the conversation. */
export async function startModelDouble(context: ScenarioContext, play: (tag: string, index: number) => ModelPlay) {
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
    await perform(response, play(tag, index), exchange)
  })
  return { serverEnv: modelAt(url), exchanges }
}

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

export interface Tokens {
  inputTokens: number
  outputTokens: number
}

export const NO_TOKENS: Tokens = { inputTokens: 0, outputTokens: 0 }

/** One turn as the bytes of its events, and the counts that are known once an event has arrived. */
export interface SpokenTurn {
  events: readonly Uint8Array[]
  /** After each event, the tokens that were reported by then. */
  reported: readonly Tokens[]
  /** Bytes up to the end of the event with the finish reason; of the whole where there is none. */
  finishedAt: number
  bytes: Uint8Array
}

/** A turn of a model that reports its counts while it speaks: so a cut stream has something to be metered. */
export function speakTurn(turn: DoubleTurn, usage: Tokens): SpokenTurn {
  const plain = eventsOfTurn({ ...turn, usage }, 'double')
  const middle = Math.ceil(plain.length / 2)
  const { inputTokens } = usage
  const half = reportOf({ inputTokens, outputTokens: Math.ceil(usage.outputTokens / 2) })
  const early = reportOf({ inputTokens, outputTokens: 1 })
  const texts = [...plain.slice(0, 1), early, ...plain.slice(1, middle), half, ...plain.slice(middle)]
  const finish = texts.findIndex((text) => /"finish_reason":"/.test(text))
  const events = texts.map((text) => Buffer.from(text))
  return {
    events,
    reported: texts.map((_, index) => lastReport(texts.slice(0, index + 1))),
    finishedAt: Buffer.byteLength(texts.slice(0, finish === -1 ? texts.length : finish + 1).join('')),
    bytes: Buffer.concat(events),
  }
}

/** The tokens that were reported once this many bytes of the turn have arrived. */
export function reportedBy(turn: SpokenTurn, bytes: number): Tokens {
  let [end, known] = [0, NO_TOKENS]
  for (const [index, event] of turn.events.entries()) {
    end += event.length
    if (end > bytes) return known
    known = turn.reported[index] ?? known
  }
  return known
}

export function playWhole(turn: SpokenTurn): ModelPlay {
  return { pieces: [{ pauseMs: 0, bytes: turn.bytes }], end: 'end' }
}

/** The turn event by event, with a pause before each. */
export function playSlowly(turn: SpokenTurn, pauseMs: number): ModelPlay {
  return { pieces: turn.events.map((bytes) => ({ pauseMs, bytes })), end: 'end' }
}

function reportOf({ inputTokens, outputTokens }: Tokens): string {
  const total = inputTokens + outputTokens
  const usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: total }
  const head = { id: 'chatcmpl-double', object: 'chat.completion.chunk', created: 0, model: 'double' }
  return `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`
}

function lastReport(texts: readonly string[]): Tokens {
  const reports = texts.map((text) => /"prompt_tokens":(\d+),"completion_tokens":(\d+)/.exec(text))
  const found = reports.findLast((match) => match !== null)
  return found ? { inputTokens: Number(found[1]), outputTokens: Number(found[2]) } : NO_TOKENS
}

const Done = z.object({
  executionId: z.string(),
  status: z.enum(['completed', 'failed']),
  inputTokens: z.number(),
  outputTokens: z.number(),
  error: z.object({ message: z.string() }).optional(),
})

/** The answer of an execute, as its caller has it when the connection is over. */
export interface HeardExecution {
  /** Null: no answer began. */
  status: number | null
  /** The body of the answer, or of the `done` event; null where there was none. */
  told: z.infer<typeof Done> | null
  /** Anything after `done`. */
  hasMore: boolean
  /** Why the connection ended before the answer did; null where it did not. */
  brokenBy: string | null
}

export interface ExecuteCall {
  /** Left out at the broker. */
  key?: string
  path?: string
  tag: string
  isStream: boolean
  /** Default: a conversation that carries the tag. */
  body?: unknown
  signal?: AbortSignal
  /** Called as soon as the head of the answer is there. */
  onBegin?: () => void
}

/** The body of an execute that the model double knows by its tag, and its row by its metadata. */
export function taggedBody(tag: string): { messages: unknown[]; metadata: { tag: string } } {
  return { messages: [{ role: 'user', parts: [{ type: 'text', content: `tag:${tag} ` }] }], metadata: { tag } }
}

/** Callers of execute, with as many connections as calls are under way. */
export function createExecuteCallers({ onEnd }: ScenarioContext, url: string) {
  const pool = new Pool(url, { connections: null, pipelining: 1, headersTimeout: 330_000, bodyTimeout: 330_000 })
  onEnd(() => pool.destroy())
  return async (call: ExecuteCall): Promise<HeardExecution> => {
    const heard: HeardExecution = { status: null, told: null, hasMore: false, brokenBy: null }
    try {
      const answer = await pool.request({
        method: 'POST',
        path: call.path ?? '/v1/runtime/execute',
        headers: {
          'content-type': 'application/json',
          ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
          ...(call.isStream ? { accept: 'text/event-stream' } : {}),
        },
        body: JSON.stringify(call.body ?? taggedBody(call.tag)),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      })
      heard.status = answer.statusCode
      call.onBegin?.()
      const text = await answer.body.text()
      const isStream = String(answer.headers['content-type']).startsWith('text/event-stream')
      Object.assign(heard, toldBy(text, isStream))
    } catch (error) {
      heard.brokenBy = error instanceof Error ? error.message : String(error)
    }
    return heard
  }
}

function toldBy(text: string, isStream: boolean): Pick<HeardExecution, 'told' | 'hasMore'> {
  const [, done = '', more] = isStream ? text.split(/(?:^|\n\n)(?:id: \d+\n)?event: done\ndata: /) : [undefined, text]
  const [data = '', ...rest] = done.split('\n\n')
  const hasMore = more !== undefined || rest.join('').replace(/^:.*$/gm, '').trim() !== ''
  return { told: Done.safeParse(parsed(data)).data ?? null, hasMore }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
