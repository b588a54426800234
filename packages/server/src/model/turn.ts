import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import { parseJson } from '../lib/json-parse.ts'
import { CUT_OFF, type EmitEvent, type ModelCall, ModelError, type ModelEvent, NO_USAGE } from './model.ts'
import { ENDED_UNKNOWN, MALFORMED_CALL, MODEL_BROKE_OFF, NOT_AVAILABLE, WITHHELD } from './model-failure.ts'
import { mergeReportedUsage } from './reported-usage.ts'
import type { FinishReason, TurnPart } from './turn-source.ts'

type EndReason = Extract<ModelEvent, { type: 'end' }>['reason']
/** The meaning of a provider’s finish reason: an end of the turn, or a failure with a message for the caller. */
type TurnEnd = { ok: true; reason: EndReason } | { ok: false; message: string }

const LOGGED_REASON_LENGTH = 60

/** Makes model events of the parts of one turn: text at once, calls and the end on `close`. */
export class Turn {
  hasBegun = false
  usage = NO_USAGE
  /** The turn exceeded `maxTextBytes`. The stream is stopped; it did not break off. */
  isOverLimit = false
  readonly #emit: EmitEvent
  // Not emitted before the provider has ended the turn: the calls of an answer that breaks off must not be run.
  readonly #toolCalls: ModelCall[] = []
  #end: FinishReason | null = null
  /** Of `maxTextBytes`. Text and arguments share it. */
  #bytesLeft: number
  // Arguments may arrive as deltas, as a whole call, or both: the larger sum counts.
  #argumentBytes = 0
  #wholeCallBytes = 0

  constructor(emit: EmitEvent, maxTextBytes = Number.POSITIVE_INFINITY) {
    this.#emit = emit
    this.#bytesLeft = maxTextBytes
  }

  /** Emits the text of these parts. False once the turn is over its limit. Throws the error of an `error` part. */
  addParts(parts: readonly TurnPart[]): boolean | Promise<boolean> {
    let pending: Promise<void> | undefined
    for (const part of parts) {
      const text = this.#textOf(part)
      const emitted = text === '' ? undefined : this.#say(text)
      if (emitted) pending = emitted
      if (this.isOverLimit) break
    }
    return pending ? pending.then(() => !this.isOverLimit) : !this.isOverLimit
  }

  /** The events that end the turn. Throws a {@link ModelError} where it did not end well. */
  *close(): Generator<ModelEvent> {
    const reason = this.#endReason()
    // The calls of an answer that ran into its length limit may be incomplete.
    const calls = reason === 'length' ? [] : this.#toolCalls
    yield* calls
    const withoutCalls = reason === 'length' ? reason : 'stop'
    yield { type: 'end', reason: calls.length > 0 ? 'tool_calls' : withoutCalls, usage: this.usage }
  }

  #textOf(part: TurnPart): string {
    switch (part.type) {
      case 'text-delta':
        return part.delta
      case 'tool-input-delta':
        this.#countArguments(Buffer.byteLength(part.delta))
        return ''
      case 'tool-call':
        this.#wholeCallBytes += Buffer.byteLength(part.input)
        this.#countArguments(this.#wholeCallBytes - this.#argumentBytes)
        this.#toolCalls.push({ type: 'tool_call', name: part.toolName, ...argumentsIn(part.input) })
        return ''
      case 'raw':
        this.hasBegun = true
        this.usage = mergeReportedUsage(this.usage, part.rawValue)
        return ''
      case 'finish':
        this.#end = part.finishReason
        return ''
      default:
        throw part.error
    }
  }

  #say(text: string): Promise<void> | void {
    const bytes = Buffer.byteLength(text)
    this.isOverLimit = bytes > this.#bytesLeft
    const content = this.isOverLimit ? withinBytes(text, this.#bytesLeft) : text
    this.#bytesLeft -= bytes
    return content === '' ? undefined : this.#emit({ type: 'text', content })
  }

  #countArguments(bytes: number): void {
    if (bytes <= 0) return
    this.#argumentBytes += bytes
    this.#bytesLeft -= bytes
    this.isOverLimit ||= this.#bytesLeft < 0
  }

  // Without a finish reason of the provider the stream broke off.
  #endReason(): EndReason {
    const { usage } = this
    if (this.#end?.raw === undefined) throw new ModelError(CUT_OFF, { usage })
    const end = turnEndOf(this.#end)
    if (end.ok) return end.reason
    const cause = new Error(`finish reason ${JSON.stringify(this.#end.raw.slice(0, LOGGED_REASON_LENGTH))}`)
    throw new ModelError(end.message, { usage, cause })
  }
}

// The longest prefix of whole characters that fits.
function withinBytes(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, maxBytes)), { stream: true })
}

// Models may leave the arguments of a call without parameters empty.
function argumentsIn(argumentsText: string): Pick<ModelCall, 'input' | 'problem'> {
  if (argumentsText.trim() === '') return { input: {} }
  try {
    const input = parseJson(argumentsText)
    const inexact = inexactNumber(argumentsText)
    if (inexact === null) return { input }
    return { input: undefined, problem: `input${inexact && `.${inexact}`} ${INEXACT_NUMBER}` }
  } catch {
    return { input: undefined }
  }
}

// Reasons that the AI SDK maps to an end, or not at all. In order: Mistral, Anthropic, DeepSeek, OpenRouter, Google (two).
const ENDS_BY_RAW_REASON: ReadonlyMap<string, TurnEnd> = new Map<string, TurnEnd>([
  ['model_length', { ok: true, reason: 'length' }],
  ['pause_turn', { ok: false, message: ENDED_UNKNOWN }],
  ['insufficient_system_resource', { ok: false, message: NOT_AVAILABLE }],
  ['error', { ok: false, message: MODEL_BROKE_OFF }],
  ['MALFORMED_FUNCTION_CALL', { ok: false, message: MALFORMED_CALL }],
  ['UNEXPECTED_TOOL_CALL', { ok: false, message: MALFORMED_CALL }],
])

// An unknown reason is a failure, so that the calls of its turn are not run.
function turnEndOf({ unified, raw = '' }: FinishReason): TurnEnd {
  const known = ENDS_BY_RAW_REASON.get(raw)
  if (known !== undefined) return known
  if (unified === 'stop' || unified === 'length') return { ok: true, reason: unified }
  if (unified === 'tool-calls') return { ok: true, reason: 'tool_calls' }
  return { ok: false, message: unified === 'content-filter' ? WITHHELD : ENDED_UNKNOWN }
}
