import { InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai'
import { createParser } from 'eventsource-parser'
import { parseJson } from '../../lib/json-parse.ts'
import type { FinishReason } from '../language-model.ts'
import type { TurnPart, TurnUsage } from '../turn-source.ts'
import { Chunk, textIn, type Usage } from './chunk.ts'
import { ToolCalls } from './tool-calls.ts'

type RawPart = Extract<TurnPart, { type: 'raw' }>

/** Reads one turn from the text of its stream. What cannot be read is an `error` part: the turn is over then. */
export class TurnReader {
  readonly #events = createParser({ onEvent: ({ data }) => this.#read(data) })
  #parts: TurnPart[] = []
  #toolCalls: ToolCalls | null = null
  #finishReason: FinishReason | null = null
  #usage: Usage | null = null

  /** What the next piece of the text comes to, wherever it was cut. */
  feed(text: string): readonly TurnPart[] {
    this.#events.feed(text)
    return this.#taken()
  }

  /** What is known once nothing more comes. */
  end(): readonly TurnPart[] {
    this.#orError(() => {
      this.#parts.push(...(this.#toolCalls?.end() ?? []))
      if (this.#finishReason === null) {
        throw new InvalidResponseDataError({ data: undefined, message: 'The stream ended without a finish reason.' })
      }
      this.#parts.push({ type: 'finish', finishReason: this.#finishReason, usage: totalsOf(this.#usage) })
    })
    return this.#taken()
  }

  #taken(): readonly TurnPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  #read(data: string): void {
    if (data !== '[DONE]') this.#orError(() => this.#take(data))
  }

  #orError(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#parts.push({ type: 'error', error })
    }
  }

  #take(data: string): void {
    const raw: RawPart = { type: 'raw', rawValue: undefined }
    // Before it is read: with whatever it is, the answer has begun.
    this.#parts.push(raw)
    const rawValue = valueIn(data)
    raw.rawValue = rawValue
    if (typeof rawValue === 'object' && rawValue !== null && 'error' in rawValue) throw rawValue.error
    const chunk = Chunk.safeParse(rawValue)
    if (!chunk.success) throw new TypeValidationError({ value: undefined, cause: chunk.error })
    const { choices, usage } = chunk.data
    this.#usage = usage ?? this.#usage
    const [choice] = choices
    if (typeof choice?.finish_reason === 'string') this.#finishReason = finishReasonOf(choice.finish_reason)
    const delta = textIn(choice?.delta?.content)
    if (delta !== '') this.#parts.push({ type: 'text-delta', delta })
    for (const piece of choice?.delta?.tool_calls ?? []) {
      this.#toolCalls ??= new ToolCalls()
      this.#toolCalls.add(piece)
      const { arguments: delta } = piece.function
      if (delta) this.#parts.push({ type: 'tool-input-delta', delta })
    }
  }
}

function valueIn(data: string): unknown {
  try {
    return parseJson(data)
  } catch (cause) {
    throw new JSONParseError({ text: '', cause })
  }
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

function totalsOf(usage: Usage | null): TurnUsage {
  return {
    inputTokens: { total: usage === null ? undefined : (usage.prompt_tokens ?? 0) },
    outputTokens: { total: usage === null ? undefined : (usage.completion_tokens ?? 0) },
  }
}
