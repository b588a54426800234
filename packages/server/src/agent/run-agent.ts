import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JsonObject, Message, TextPart, ToolCallPart } from '@svc/contract'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import { EMPTY_OBJECT, JsonDocument } from '../lib/json-document.ts'
import { type StopSignal, unlessStopped } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import {
  CUT_OFF,
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  NO_USAGE,
} from '../model/model.ts'
import type { AgentResult, Emit } from './agent-event.ts'
import { type CallCapability, type JudgeCall, runCalls } from './run-calls.ts'
import { tokensOf, wholeUsage } from './token-usage.ts'
import { holdsObject, NOT_MADE, type RequestedCall, type Toolset, toolCallProblem } from './tools.ts'
import { forModel, toolResult, withLaterResults } from './transcript.ts'

export type ModelTurn =
  | { ok: true; text: string; requests: RequestedCall[]; hitLengthLimit: boolean; usage: ModelUsage }
  | { ok: false; text: string; error: string; usage: ModelUsage }

/** Wraps each model call in a span and metrics. */
export type ObserveModelCall = (callModel: () => Promise<ModelTurn>) => Promise<ModelTurn>

export interface AgentDeps {
  model: Model
  observe: ObserveModelCall
  clock: Clock
  newId: NewId
  limits: Pick<
    Limits,
    'steps' | 'executionTokens' | 'parallelCalls' | 'calls' | 'outputBytes' | 'textBytes' | 'modelOutputBytes'
  >
}

export interface AgentInput {
  /** Only for the model's log. */
  executionId: string
  instructions: string | null
  messages: readonly Message[]
  toolset: Toolset
  judge: JudgeCall
  call: CallCapability
  emit: Emit
  signal: StopSignal
  /** Counts memory by which the transcript grew. False: the account is past its share, and no further call is made. */
  hold: (bytes: number) => boolean
}

/** The error of a model call that was stopped from outside. */
export const STOPPED = 'The execution was stopped.'

/**
 * The agent loop: calls the model, makes the capability calls that it asks for and returns their results to it, until it
 * asks for none, one of them waits for a person, or steps or tokens are used up. A failed capability is told to the model; a failed model ends the loop.
 */
export async function runAgent(deps: AgentDeps, input: AgentInput): Promise<AgentResult> {
  const { limits } = deps
  const { instructions, toolset, emit, hold, signal } = input
  const messages = forModel(withLaterResults(input.messages), limits.modelOutputBytes)
  const spent = { calls: 0, tokens: 0, outputBytes: 0, textBytes: 0, hasRoom: true }
  const call: CallCapability = async (made) => {
    const result = await input.call(made)
    if (!result.ok) return result
    const { bytes } = result.output
    spent.outputBytes += bytes
    spent.hasRoom = hold(bytes)
    return result
  }
  const mayStart = () => !signal.aborted && spent.hasRoom && spent.outputBytes < limits.outputBytes
  // The last model call may exceed the token limit: no call is cut short for it.
  for (let step = 1; step <= limits.steps && spent.tokens < limits.executionTokens; step += 1) {
    const maxTextBytes = limits.textBytes - spent.textBytes
    const turn = await deps.observe(() => callModel(deps, input, { messages, maxTextBytes }))
    if (!turn.ok) return endFailed(turn, input)
    const turnBytes = turn.requests.reduce((sum, request) => sum + request.input.bytes, Buffer.byteLength(turn.text))
    spent.textBytes += turnBytes
    spent.hasRoom = hold(turnBytes)
    spent.tokens += tokensOf(turn.usage, { instructions, messages, tools: toolset.tools }, turnBytes)
    const requests = await validateAll(deps, input, turn.requests, limits.calls - spent.calls)
    if (requests === null) return { finishReason: 'cancelled' }
    const assistant = assistantTurn(turn.text, requests)
    messages.push(assistant)
    await emit({ type: 'turn', message: assistant })
    if (requests.length === 0) return { finishReason: turn.hitLengthLimit ? 'length' : 'stop' }
    const calls = requests
      .filter(({ refusal }) => refusal === null)
      .map(({ part, input }) => ({ callId: part.id, capability: part.name, step, ordinal: spent.calls++, input }))
    const { parallelCalls: maxParallel } = limits
    const options = { emit, maxParallel, now: () => deps.clock.now(), mayStart, judge: input.judge }
    const { results, areWaiting } = await runCalls(calls, call, options)
    const toolTurn = (view: 'output' | 'redacted'): Message => {
      const parts = requests.map(({ part, refusal }) => {
        const result = results.get(part.id) ?? { ok: false, message: refusal ?? NOT_MADE, durationMs: 0 }
        return toolResult(part, result, view)
      })
      return { role: 'tool', parts }
    }
    messages.push(...forModel([toolTurn('redacted')], limits.modelOutputBytes))
    await emit({ type: 'turn', message: toolTurn('output') })
    if (signal.aborted) return { finishReason: 'cancelled' }
    if (areWaiting) return { finishReason: 'approval_required' }
  }
  return { finishReason: 'length' }
}

async function endFailed(
  { text, error }: Extract<ModelTurn, { ok: false }>,
  { signal, emit }: AgentInput,
): Promise<AgentResult> {
  if (signal.aborted) return { finishReason: 'cancelled' }
  // The text before the failure was streamed already.
  if (text !== '') await emit({ type: 'turn', message: assistantTurn(text, []) })
  return { finishReason: 'error', error }
}

async function callModel(
  deps: AgentDeps,
  { executionId, instructions, toolset, signal, emit }: AgentInput,
  context: Pick<ModelRequest, 'messages' | 'maxTextBytes'>,
): Promise<ModelTurn> {
  let text = ''
  const requests: RequestedCall[] = []
  const ends: Extract<ModelEvent, { type: 'end' }>[] = []
  const startedAt = deps.clock.now()
  const endStep = async (reported: ModelUsage) => {
    const usage = wholeUsage(reported)
    const durationMs = Math.max(0, deps.clock.now() - startedAt)
    await emit({ type: 'model-step-end', startedAt, durationMs, usage })
    return usage
  }
  const request = { instructions, ...context, tools: toolset.tools, signal, executionId }
  try {
    await deps.model.stream(request, (event) => {
      if (event.type === 'text') {
        text += event.content
        return emit(event)
      }
      if (event.type === 'end') ends.push(event)
      else requests.push({ ...event, input: JsonDocument.of(event.input) })
    })
    const [end] = ends
    if (end === undefined) return { ok: false, text, error: CUT_OFF, usage: await endStep(NO_USAGE) }
    return { ok: true, text, requests, hitLengthLimit: end.reason === 'length', usage: await endStep(end.usage) }
  } catch (error) {
    if (error instanceof ModelError) return { ok: false, text, error: error.message, usage: await endStep(error.usage) }
    if (signal.aborted) return { ok: false, text, error: STOPPED, usage: NO_USAGE }
    throw error
  }
}

interface ValidatedRequest {
  part: ToolCallPart
  input: JsonDocument<JsonObject>
  /** Why the call is not made, for the model; null when it is. */
  refusal: string | null
}

/** Validates what a model asked for, in turns of the event loop. At most `maxCalls` pass. Null where it was stopped. */
async function validateAll(
  deps: AgentDeps,
  { toolset, signal }: AgentInput,
  requests: readonly RequestedCall[],
  maxCalls: number,
): Promise<ValidatedRequest[] | null> {
  const validated: ValidatedRequest[] = []
  let accepted = 0
  for (const request of requests) {
    if (validated.length > 0) await nextTurn()
    // A refused input stays in the transcript, so that the model sees what to correct.
    const input = holdsObject(request.input) ? request.input : EMPTY_OBJECT
    const name = request.name.slice(0, 128) || 'unnamed'
    const part: ToolCallPart = { type: 'tool_call', id: deps.newId('call'), name, input: input.value }
    const problem = toolCallProblem(toolset, request, accepted >= maxCalls).then((refusal) => ({ refusal }))
    const outcome = await unlessStopped(problem, signal)
    if (outcome === null) return null
    if (outcome.refusal === null) accepted += 1
    validated.push({ part, input, ...outcome })
  }
  return validated
}

function assistantTurn(text: string, requests: readonly ValidatedRequest[]): Message {
  const calls = requests.map(({ part }) => part)
  const said: TextPart[] = text !== '' || calls.length === 0 ? [{ type: 'text', content: text }] : []
  return { role: 'assistant', parts: [...said, ...calls] }
}
