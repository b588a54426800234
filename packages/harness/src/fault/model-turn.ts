import { type DoubleTurn, eventsOfTurn } from '@svc/testkit'
import type { ModelPlay } from './model-double.ts'

/** Tokens as a model reports them. */
export interface Tokens {
  inputTokens: number
  outputTokens: number
}

export const NO_TOKENS: Tokens = { inputTokens: 0, outputTokens: 0 }

/** One turn as the bytes of its events, and the counts that are known once an event has arrived. */
export interface SpokenTurn {
  events: readonly Uint8Array[]
  /** After each event, what has been reported by then. */
  reported: readonly Tokens[]
  /** Bytes up to the end of the event in which the model says why it stopped; of the whole where it never says. */
  finishedAt: number
  bytes: Uint8Array
}

/**
 * A turn of a model that reports its counts while it speaks, as some do: after its first event and in the middle. So a
 * cut stream has something to be metered, and where it was cut decides how much.
 */
export function speakTurn(turn: DoubleTurn, usage: Tokens): SpokenTurn {
  const plain = eventsOfTurn({ ...turn, usage }, 'double')
  const middle = Math.ceil(plain.length / 2)
  const early = { inputTokens: usage.inputTokens, outputTokens: 1 }
  const half = { inputTokens: usage.inputTokens, outputTokens: Math.ceil(usage.outputTokens / 2) }
  const texts = [
    ...plain.slice(0, 1),
    reportOf(early),
    ...plain.slice(1, middle),
    reportOf(half),
    ...plain.slice(middle),
  ]
  const events = texts.map((text) => Buffer.from(text))
  const finish = texts.findIndex((text) => /"finish_reason":"/.test(text))
  return {
    events,
    reported: texts.map((_, index) => lastReport(texts.slice(0, index + 1))),
    finishedAt: Buffer.byteLength(texts.slice(0, finish === -1 ? texts.length : finish + 1).join('')),
    bytes: Buffer.concat(events),
  }
}

/** What has been reported once this many bytes of the turn have arrived: an event counts when it is there as a whole. */
export function reportedBy(turn: SpokenTurn, bytes: number): Tokens {
  let end = 0
  let known = NO_TOKENS
  for (const [index, event] of turn.events.entries()) {
    end += event.length
    if (end > bytes) return known
    known = turn.reported[index] ?? known
  }
  return known
}

/** The whole turn at once. */
export function playWhole(turn: SpokenTurn): ModelPlay {
  return { pieces: [{ pauseMs: 0, bytes: turn.bytes }], end: 'end' }
}

/** The turn event by event, with a pause before each. */
export function playSlowly(turn: SpokenTurn, pauseMs: number): ModelPlay {
  return { pieces: turn.events.map((bytes) => ({ pauseMs, bytes })), end: 'end' }
}

function reportOf({ inputTokens, outputTokens }: Tokens): string {
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
  const head = { id: 'chatcmpl-double', object: 'chat.completion.chunk', created: 0, model: 'double' }
  return `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`
}

const REPORT = /"prompt_tokens":(\d+),"completion_tokens":(\d+)/

function lastReport(texts: readonly string[]): Tokens {
  const found = texts.map((text) => REPORT.exec(text)).findLast((match) => match !== null)
  return found ? { inputTokens: Number(found[1]), outputTokens: Number(found[2]) } : NO_TOKENS
}
