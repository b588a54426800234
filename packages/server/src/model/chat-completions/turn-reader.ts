import { InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { parseJson } from '../../lib/json-parse.ts'
import { errorIn, jsonIn, NotAnEventStreamError, refusalUnder200 } from '../provider-error.ts'
import type { FinishReason, TurnPart } from '../turn-source.ts'
import { Chunk, plainTextIn, textIn } from './chunk.ts'
import { ReasoningFilter } from './reasoning-filter.ts'
import { ToolCalls } from './tool-calls.ts'

type RawPart = Extract<TurnPart, { type: 'raw' }>

// Of an answer without events: enough to find an error in it.
const MAX_HEAD_CHARACTERS = 64 * 1024
const DONE: FinishReason = { unified: 'stop', raw: '[DONE]' }

/** Reads one turn from the text of its stream. What cannot be read becomes an `error` part, which ends the turn. */
export class TurnReader {
  readonly #events = createParser({ onEvent: (event) => this.#read(event) })
  readonly #reasoning = new ReasoningFilter()
  #parts: TurnPart[] = []
  #toolCalls: ToolCalls | null = null
  #finishReason: FinishReason | null = null
  /** The text before the first event; null from then on. */
  #head: string | null = ''

  /** Reads the next piece of the text, wherever it was cut. */
  feed(text: string): void {
    // The parser recognizes a byte order mark only as three characters.
    const piece = this.#head === '' && text.startsWith('\uFEFF') ? text.slice(1) : text
    if (this.#head !== null) this.#head = (this.#head + piece).slice(0, MAX_HEAD_CHARACTERS)
    this.#events.feed(piece)
  }

  /** Reads the parts that are known once the stream has ended. */
  end(): void {
    this.#orError(() => {
      if (this.#head !== null) throw errorOfHead(this.#head)
      this.#pushText(this.#reasoning.end())
      this.#parts.push(...(this.#toolCalls?.end() ?? []))
      if (this.#finishReason === null) {
        throw new InvalidResponseDataError({ data: undefined, message: 'The stream ended without a finish reason.' })
      }
      this.#parts.push({ type: 'finish', finishReason: this.#finishReason })
    })
  }

  /** The parts that were read since the last call. */
  take(): readonly TurnPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  #read({ event, data }: EventSourceMessage): void {
    if (event === 'ping' || data === '') return
    if (data !== '[DONE]') this.#orError(() => this.#readChunk(data))
    // A stream of nothing but [DONE] is no answer.
    else if (this.#head === null) this.#finishReason ??= DONE
  }

  #orError(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#parts.push({ type: 'error', error })
    }
  }

  #readChunk(data: string): void {
    this.#head = null
    const raw: RawPart = { type: 'raw', rawValue: undefined }
    // Even an event that cannot be read shows that the answer has begun.
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
    // Some servers send an empty reason with every piece.
    if (reason) this.#finishReason = { unified: UNIFIED.get(reason) ?? 'other', raw: reason }
    this.#pushText(this.#reasoning.feed(textIn(delta)))
    for (const piece of delta?.tool_calls ?? []) {
      this.#toolCalls ??= new ToolCalls()
      this.#toolCalls.add(piece)
      if (piece.function.arguments) this.#parts.push({ type: 'tool-input-delta', delta: piece.function.arguments })
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

function errorOfHead(text: string): Error {
  const error = errorIn(jsonIn(text))
  return error === null ? new NotAnEventStreamError() : refusalUnder200(error)
}
