import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import { parseJson } from '../lib/json-parse.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import { type Deadline, deadline } from './deadline.ts'
import type { FinishReason } from './language-model.ts'
import {
  type Model,
  type ModelCall,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  NO_USAGE,
} from './model.ts'
import { CANCELLED, CUT_OFF, modelFailure, TIMED_OUT } from './model-failure.ts'
import type { ModelLogger } from './model-logger.ts'
import { withReported } from './reported-usage.ts'
import { startStream } from './start-stream.ts'
import { toPrompt } from './to-model-messages.ts'
import { type EndReason, turnEnd } from './turn-end.ts'
import type { TurnPart, TurnSource } from './turn-source.ts'

interface ProviderModelOptions {
  provider: string
  name: string
  source: TurnSource
  limits: Pick<Limits, 'modelMs'>
  /** Kept out of every error. */
  secrets: readonly string[]
  logger?: ModelLogger | undefined
}

/** A model of a provider. Failures before the answer begins are tried again twice, failures within it never are. */
export function providerModel(options: ProviderModelOptions): Model {
  return {
    provider: options.provider,
    name: options.name,
    stream: (request) => streamTurn(options, request),
  }
}

async function* streamTurn(options: ProviderModelOptions, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const limit = deadline(request.signal, options.limits.modelMs)
  const turn: Turn = {
    begun: false,
    toolCalls: [],
    usage: NO_USAGE,
    end: null,
    leftBytes: request.maxTextBytes ?? Number.POSITIVE_INFINITY,
    argumentBytes: 0,
    calledBytes: 0,
    isCut: false,
  }
  try {
    for await (const parts of await partsOf(options, request, limit.signal)) {
      for (const content of textsIn(turn, parts)) yield { type: 'text', content }
      // To leave the loop ends the provider's stream.
      if (turn.isCut) return yield { type: 'end', reason: 'length', usage: turn.usage }
    }
  } catch (error) {
    throw logged(options, request, failureOf(error, { options, turn, limit }))
  } finally {
    limit.release()
  }
  const end = endOf(turn, limit)
  if (end instanceof ModelError) throw logged(options, request, end)
  yield* closing(turn, end)
}

// Only here are provider, model and cause together; a caller is told no more than the sentence.
function logged(options: ProviderModelOptions, request: ModelRequest, failure: ModelError): ModelError {
  if (failure.message === CANCELLED) return failure
  const cause = failure.cause instanceof Error ? failure.cause.message : undefined
  const { provider, name, logger } = options
  const { executionId } = request
  const fields = { executionId, provider, model: name, failure: failure.message, cause, usage: failure.usage }
  logger?.warn(fields, 'model call failed')
  return failure
}

function partsOf(
  { source }: ProviderModelOptions,
  { instructions, messages, tools }: ModelRequest,
  signal: StopSignal,
) {
  return startStream(source, { prompt: toPrompt(instructions, messages), tools }, signal)
}

/** What a turn has come to so far. */
interface Turn {
  /** The provider has begun to answer. */
  begun: boolean
  /** Held back until the provider has ended its turn: a call of a cut answer must not be run. */
  toolCalls: ModelCall[]
  usage: ModelUsage
  end: FinishReason | null
  /** How much more it may say, arguments of calls included. */
  leftBytes: number
  /** Of arguments, in pieces or whole; and of those that are whole. */
  argumentBytes: number
  calledBytes: number
  /** It would have said more. */
  isCut: boolean
}

// What can be passed on at once, until the turn has said all that it may.
function* textsIn(turn: Turn, parts: readonly TurnPart[]): Generator<string> {
  for (const part of parts) {
    const text = take(turn, part) ?? ''
    const said = withinBytes(text, turn.leftBytes)
    turn.leftBytes -= Buffer.byteLength(said)
    if (said !== '') yield said
    turn.isCut ||= said.length < text.length
    if (turn.isCut) return
  }
}

// As much of a text as fits, in whole characters.
function withinBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  return new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, maxBytes)), { stream: true })
}

// Folds one part into the turn; returns the text that can be passed on at once, or null.
function take(turn: Turn, part: TurnPart): string | null {
  switch (part.type) {
    case 'text-delta':
      return part.delta === '' ? null : part.delta
    case 'tool-input-delta':
      countArguments(turn, Buffer.byteLength(part.delta))
      return null
    case 'tool-call':
      turn.calledBytes += Buffer.byteLength(part.input)
      // Some come without pieces before them.
      countArguments(turn, turn.calledBytes - turn.argumentBytes)
      turn.toolCalls.push({ type: 'tool_call', name: part.toolName, ...argumentsIn(part.input) })
      return null
    case 'raw':
      turn.begun = true
      turn.usage = withReported(turn.usage, part.rawValue)
      return null
    case 'finish':
      turn.end = part.finishReason
      return null
    case 'error':
      throw part.error
    default:
      return null
  }
}

function countArguments(turn: Turn, bytes: number): void {
  if (bytes <= 0) return
  turn.argumentBytes += bytes
  turn.leftBytes -= bytes
  turn.isCut ||= turn.leftBytes < 0
}

// A call without parameters may come without a character.
function argumentsIn(argumentsText: string): Pick<ModelCall, 'input' | 'problem'> {
  if (argumentsText.trim() === '') return { input: {} }
  try {
    const input = parseJson(argumentsText)
    const inexact = inexactNumber(argumentsText)
    return inexact === null
      ? { input }
      : { input: undefined, problem: `input${inexact && `.${inexact}`} ${INEXACT_NUMBER}` }
  } catch {
    return { input: undefined }
  }
}

function failureOf(error: unknown, at: { options: ProviderModelOptions; turn: Turn; limit: Deadline }): ModelError {
  const { options, turn, limit } = at
  return (
    endedEarly(turn, limit) ?? modelFailure(error, { begun: turn.begun, usage: turn.usage, secrets: options.secrets })
  )
}

function endedEarly(turn: Turn, limit: Deadline): ModelError | null {
  if (limit.endedBy() === 'caller') return new ModelError(CANCELLED, { usage: turn.usage })
  if (limit.endedBy() === 'time') return new ModelError(TIMED_OUT, { usage: turn.usage })
  return null
}

// Without the provider’s own word for why it stopped, the stream was cut, however orderly it ended.
function endOf(turn: Turn, limit: Deadline): EndReason | ModelError {
  const { end, usage } = turn
  const early = endedEarly(turn, limit)
  if (early !== null) return early
  if (end?.raw === undefined) return new ModelError(CUT_OFF, { usage })
  const judged = turnEnd(end)
  if (judged.ok) return judged.reason
  const cause = new Error(`finish reason ${JSON.stringify(end.raw.slice(0, LOGGED_REASON_LENGTH))}`)
  return new ModelError(judged.message, { usage, cause })
}

const LOGGED_REASON_LENGTH = 60

// Calls of an answer that ran into its length limit may be half of what was meant.
function* closing({ toolCalls, usage }: Turn, end: EndReason): Generator<ModelEvent> {
  if (end === 'length' || toolCalls.length === 0)
    return yield { type: 'end', reason: end === 'length' ? end : 'stop', usage }
  yield* toolCalls
  yield { type: 'end', reason: 'tool_calls', usage }
}
