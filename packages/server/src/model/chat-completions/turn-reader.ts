import { InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { parseJson } from '../../lib/json-parse.ts'
import type { FinishReason } from '../language-model.ts'
import { NotAStream } from '../not-a-stream.ts'
import { errorIn, jsonIn, refusalUnder200 } from '../provider-error.ts'
import type { TurnPart } from '../turn-source.ts'
import { Chunk, textIn } from './chunk.ts'
import { ToolCalls } from './tool-calls.ts'
import { WithoutThoughts } from './without-thoughts.ts'

type RawPart = Extract<TurnPart, { type: 'raw' }>

// Of an answer without events: enough to find an error in it.
const MOST_HEAD_CHARACTERS = 64 * 1024
const DONE: FinishReason = { unified: 'stop', raw: '[DONE]' }

/** Reads one turn from the text of its stream. What cannot be read is an `error` part: the turn is over then. */
export class TurnReader {
  readonly #events = createParser({ onEvent: (event) => this.#read(event) })
  readonly #thoughts = new WithoutThoughts()
  #parts: TurnPart[] = []
  #toolCalls: ToolCalls | null = null
  #finishReason: FinishReason | null = null
  /** The text before the first event; null from then on. */
  #head: string | null = ''

  /** What the next piece of the text comes to, wherever it was cut. */
  feed(text: string): readonly TurnPart[] {
    // The parser knows a byte order mark as three bytes alone.
    const piece = this.#head === '' && text.startsWith('\uFEFF') ? text.slice(1) : text
    if (this.#head !== null) this.#head = (this.#head + piece).slice(0, MOST_HEAD_CHARACTERS)
    this.#events.feed(piece)
    return this.#taken()
  }

  /** What is known once nothing more comes. */
  end(): readonly TurnPart[] {
    this.#orError(() => {
      if (this.#head !== null) throw noEventIn(this.#head)
      this.#say(this.#thoughts.end())
      this.#parts.push(...(this.#toolCalls?.end() ?? []))
      if (this.#finishReason === null) {
        throw new InvalidResponseDataError({ data: undefined, message: 'The stream ended without a finish reason.' })
      }
      this.#parts.push({ type: 'finish', finishReason: this.#finishReason })
    })
    return this.#taken()
  }

  #taken(): readonly TurnPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  #read({ event, data }: EventSourceMessage): void {
    if (event === 'ping' || data === '') return
    if (data !== '[DONE]') this.#orError(() => this.#take(data))
    // Alone it ends nothing.
    else if (this.#head === null) this.#finishReason ??= DONE
  }

  #orError(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#parts.push({ type: 'error', error })
    }
  }

  #take(data: string): void {
    this.#head = null
    const raw: RawPart = { type: 'raw', rawValue: undefined }
    // Before it is read: with whatever it is, the answer has begun.
    this.#parts.push(raw)
    const rawValue = valueIn(data)
    raw.rawValue = rawValue
    const error = errorIn(rawValue)
    if (error !== null) throw error
    const chunk = Chunk.safeParse(rawValue)
    if (!chunk.success) throw new TypeValidationError({ value: undefined, cause: chunk.error })
    const [choice] = chunk.data.choices ?? []
    // Some servers send an empty one with every piece.
    if (choice?.finish_reason) this.#finishReason = finishReasonOf(choice.finish_reason)
    this.#say(this.#thoughts.feed(textIn(choice?.delta)))
    for (const piece of choice?.delta?.tool_calls ?? []) {
      this.#toolCalls ??= new ToolCalls()
      this.#toolCalls.add(piece)
      const { arguments: delta } = piece.function
      if (delta) this.#parts.push({ type: 'tool-input-delta', delta })
    }
  }

  #say(delta: string): void {
    if (delta !== '') this.#parts.push({ type: 'text-delta', delta })
  }
}

function valueIn(data: string): unknown {
  try {
    return parseJson(data)
  } catch (cause) {
    throw new JSONParseError({ text: '', cause })
  }
}

function noEventIn(text: string): Error {
  const error = errorIn(jsonIn(text))
  return error === null ? new NotAStream() : refusalUnder200(error)
}

const UNIFIED: ReadonlyMap<string, FinishReason['unified']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['function_call', 'tool-calls'],
  ['tool_calls', 'tool-calls'],
])

function finishReasonOf(raw: string): FinishReason {
  return { unified: UNIFIED.get(raw) ?? 'other', raw }
}
