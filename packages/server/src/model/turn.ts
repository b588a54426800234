import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import { parseJson } from '../lib/json-parse.ts'
import { CUT_OFF, type ModelCall, ModelError, type ModelEvent, NO_USAGE, type TakeEvent } from './model.ts'
import { ENDED_UNKNOWN, MALFORMED_CALL, MODEL_BROKE_OFF, NOT_AVAILABLE, WITHHELD } from './model-failure.ts'
import { withReported } from './reported-usage.ts'
import type { FinishReason, TurnPart } from './turn-source.ts'

type EndReason = Extract<ModelEvent, { type: 'end' }>['reason']
/** What a provider’s reason means: an end of the turn, or a failure as a sentence for the caller. */
type TurnEnd = { ok: true; reason: EndReason } | { ok: false; message: string }

const LOGGED_REASON_LENGTH = 60

/** Collects the parts of one turn. */
export class Turn {
  /** The provider has begun to answer. */
  hasBegun = false
  usage = NO_USAGE
  /** The turn was stopped because it said as much as it may. */
  isCut = false
  readonly #take: TakeEvent
  // Not handed over before the provider has ended the turn: the calls of a cut answer must not be run.
  readonly #toolCalls: ModelCall[] = []
  #end: FinishReason | null = null
  /** What it may still say, arguments of calls included. */
  #bytesLeft: number
  /** Of arguments: those that arrived in pieces, and those of complete calls. */
  #argumentBytes = 0
  #calledBytes = 0

  constructor(take: TakeEvent, maxTextBytes = Number.POSITIVE_INFINITY) {
    this.#take = take
    this.#bytesLeft = maxTextBytes
  }

  /** Hands over the text of parts. False once the turn is cut. Throws the error of an `error` part. */
  read(parts: readonly TurnPart[]): boolean | Promise<boolean> {
    let taken: Promise<void> | undefined
    for (const part of parts) {
      const text = this.#textOf(part)
      const pause = text === '' ? undefined : this.#say(text)
      if (pause) taken = pause
      if (this.isCut) break
    }
    return taken ? taken.then(() => !this.isCut) : !this.isCut
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
        this.#calledBytes += Buffer.byteLength(part.input)
        // Some calls come without pieces before them.
        this.#countArguments(this.#calledBytes - this.#argumentBytes)
        this.#toolCalls.push({ type: 'tool_call', name: part.toolName, ...argumentsIn(part.input) })
        return ''
      case 'raw':
        this.hasBegun = true
        this.usage = withReported(this.usage, part.rawValue)
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
    this.isCut = bytes > this.#bytesLeft
    const content = this.isCut ? withinBytes(text, this.#bytesLeft) : text
    this.#bytesLeft -= bytes
    return content === '' ? undefined : this.#take({ type: 'text', content })
  }

  #countArguments(bytes: number): void {
    if (bytes <= 0) return
    this.#argumentBytes += bytes
    this.#bytesLeft -= bytes
    this.isCut ||= this.#bytesLeft < 0
  }

  // A stream that ended without the provider's own reason was cut off.
  #endReason(): EndReason {
    const { usage } = this
    if (this.#end?.raw === undefined) throw new ModelError(CUT_OFF, { usage })
    const end = meaningOf(this.#end)
    if (end.ok) return end.reason
    const cause = new Error(`finish reason ${JSON.stringify(this.#end.raw.slice(0, LOGGED_REASON_LENGTH))}`)
    throw new ModelError(end.message, { usage, cause })
  }
}

// As much of a text as fits, in whole characters.
function withinBytes(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, maxBytes)), { stream: true })
}

// The arguments of a call without parameters may be empty.
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

// Reasons that libraries take for an end, or do not know: of Mistral, Anthropic, DeepSeek, OpenRouter, and two of Google.
const BY_RAW: ReadonlyMap<string, TurnEnd> = new Map<string, TurnEnd>([
  ['model_length', { ok: true, reason: 'length' }],
  ['pause_turn', { ok: false, message: ENDED_UNKNOWN }],
  ['insufficient_system_resource', { ok: false, message: NOT_AVAILABLE }],
  ['error', { ok: false, message: MODEL_BROKE_OFF }],
  ['MALFORMED_FUNCTION_CALL', { ok: false, message: MALFORMED_CALL }],
  ['UNEXPECTED_TOOL_CALL', { ok: false, message: MALFORMED_CALL }],
])

// Only reasons that are known to end a turn do: the calls of any other turn must not be run.
function meaningOf({ unified, raw = '' }: FinishReason): TurnEnd {
  const known = BY_RAW.get(raw)
  if (known !== undefined) return known
  if (unified === 'stop' || unified === 'length') return { ok: true, reason: unified }
  if (unified === 'tool-calls') return { ok: true, reason: 'tool_calls' }
  return { ok: false, message: unified === 'content-filter' ? WITHHELD : ENDED_UNKNOWN }
}
