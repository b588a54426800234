import { InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { parseJson } from '../../lib/json-parse.ts'
import { apiErrorFromBody, errorIn, jsonIn, NotAnEventStreamError } from '../provider-error.ts'
import type { FinishReason, TurnPart } from '../turn-source.ts'
import { Chunk, plainTextIn, textIn } from './chunk.ts'
import { ReasoningFilter } from './reasoning-filter.ts'
import { ToolCalls } from './tool-calls.ts'

type RawPart = Extract<TurnPart, { type: 'raw' }>

// Of an answer without events, this much is searched for an error.
const MAX_TEXT_BEFORE_EVENTS = 64 * 1024
const DONE: FinishReason = { unified: 'stop', raw: '[DONE]' }

/** Parses the event stream of one turn into parts. An unreadable event becomes an `error` part, which ends the turn. */
export class TurnReader {
  readonly #events = createParser({ onEvent: (event) => this.#read(event) })
  readonly #reasoning = new ReasoningFilter()
  #parts: TurnPart[] = []
  #toolCalls: ToolCalls | null = null
  #finishReason: FinishReason | null = null
  /** The body until its first event: where no event comes, it may be an error in JSON. Null from the first event on. */
  #textBeforeEvents: string | null = ''

  /** Reads the next chunk, which may end anywhere in an event. */
  feed(text: string): void {
    // eventsource-parser expects a byte order mark as three bytes; here it is one decoded character.
    const chunk = this.#textBeforeEvents === '' && text.startsWith('\uFEFF') ? text.slice(1) : text
    if (this.#textBeforeEvents !== null)
      this.#textBeforeEvents = (this.#textBeforeEvents + chunk).slice(0, MAX_TEXT_BEFORE_EVENTS)
    this.#events.feed(chunk)
  }

  /** The stream has ended: completes the text and the calls that were held back. */
  end(): void {
    this.#orError(() => {
      if (this.#textBeforeEvents !== null) throw errorWithoutEvents(this.#textBeforeEvents)
      this.#pushText(this.#reasoning.end())
      this.#parts.push(...(this.#toolCalls?.end() ?? []))
      if (this.#finishReason === null) {
        throw new InvalidResponseDataError({ data: undefined, message: 'The stream ended without a finish reason.' })
      }
      this.#parts.push({ type: 'finish', finishReason: this.#finishReason })
    })
  }

  /** The parts that were read since the last call. */
  nextParts(): readonly TurnPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  #read({ event, data }: EventSourceMessage): void {
    if (event === 'ping' || data === '') return
    if (data !== '[DONE]') this.#orError(() => this.#readChunk(data))
    // [DONE] alone is no answer.
    else if (this.#textBeforeEvents === null) this.#finishReason ??= DONE
  }

  #orError(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#parts.push({ type: 'error', error })
    }
  }

  #readChunk(data: string): void {
    this.#textBeforeEvents = null
    const raw: RawPart = { type: 'raw', rawValue: undefined }
    // Pushed before it is parsed: even an unreadable event shows that the answer has begun.
    this.#parts.push(raw)
    raw.rawValue = valueIn(data)
    const error = errorIn(raw.rawValue)
    if (error !== null) throw error
    const plain = plainTextIn(raw.rawValue)
    if (plain === null) this.#readWhole(raw.rawValue)
    else this.#pushText(this.#reasoning.feed(plain))
  }

  #readWhole(value: unknown): void {
    const chunk = Chunk.safeParse(value)
    if (!chunk.success) throw new TypeValidationError({ value: undefined, cause: chunk.error })
    const { delta, finish_reason: reason } = chunk.data.choices?.[0] ?? {}
    // Some servers send an empty reason with every chunk.
    if (reason) this.#finishReason = { unified: UNIFIED.get(reason) ?? 'other', raw: reason }
    this.#pushText(this.#reasoning.feed(textIn(delta)))
    for (const call of delta?.tool_calls ?? []) {
      this.#toolCalls ??= new ToolCalls()
      this.#toolCalls.add(call)
      if (call.function.arguments) this.#parts.push({ type: 'tool-input-delta', delta: call.function.arguments })
    }
  }

  #pushText(delta: string): void {
    if (delta !== '') this.#parts.push({ type: 'text-delta', delta })
  }
}

const UNIFIED: ReadonlyMap<string, FinishReason['unified']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['function_call', 'tool-calls'],
  ['tool_calls', 'tool-calls'],
])

function valueIn(data: string): unknown {
  try {
    return parseJson(data)
  } catch (cause) {
    throw new JSONParseError({ text: '', cause })
  }
}

function errorWithoutEvents(text: string): Error {
  const error = errorIn(jsonIn(text))
  return error === null ? new NotAnEventStreamError() : apiErrorFromBody(error)
}
