import { isJsonObject, type Message, type TextPart, type ToolCallPart, type ToolResultPart } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import { jsonBytes } from '../lib/json-bytes.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { type StopSignal, unlessStopped } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import {
  type Model,
  type ModelCall,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  NO_USAGE,
} from '../model/model.ts'
import { CUT_OFF } from '../model/model-failure.ts'
import type { AgentCall, AgentEvent, AgentResult, Tell } from './agent-event.ts'
import { type CallCapability, runCalls } from './run-calls.ts'
import { tokensOf } from './token-budget.ts'
import { NOT_MADE, type Toolset, toolCallProblem } from './tools.ts'
import { forModel, redactedResult, toolResult } from './transcript.ts'
import { wholeUsage } from './whole-usage.ts'

/** Called with what makes one model call. */
export type WatchTurn = (speak: () => Promise<ModelTurn>) => Promise<ModelTurn>

export interface AgentDeps {
  model: Model
  watch: WatchTurn
  clock: Clock
  newId: NewId
  limits: Pick<
    Limits,
    'steps' | 'executionTokens' | 'parallelCalls' | 'calls' | 'outputBytes' | 'textBytes' | 'modelOutputBytes'
  >
}

export interface AgentInput {
  /** For the model's log alone. */
  executionId: string
  instructions: string | null
  messages: readonly Message[]
  toolset: Toolset
  call: CallCapability
  tell: Tell
  signal: StopSignal
  /** Told of what the transcript grows by, in bytes of text. False: no further call is to be made. */
  hold: (bytes: number) => boolean
}

/** What a model call that was stopped from outside comes to, where nobody knows more. */
export const STOPPED = 'The execution was stopped.'

/**
 * The agent loop: the model speaks, the capabilities it asked for are called, their results go back to it, until it asks
 * for none, or steps or tokens are used up. A capability's failure is the model's to deal with; a model's failure ends the
 * loop.
 */
export async function runAgent(deps: AgentDeps, input: AgentInput): Promise<AgentResult> {
  const { limits } = deps
  const messages = forModel(input.messages, limits.modelOutputBytes)
  const spent = { calls: 0, tokens: 0, outputBytes: 0, textBytes: 0, hasRoom: true }
  for (let step = 1; mayAskAgain(step, spent, limits); step += 1) {
    const maxTextBytes = limits.textBytes - spent.textBytes
    const spoken = await deps.watch(() => speak(deps, input, { messages, maxTextBytes }))
    if (!spoken.ok) return endedBy(spoken, input)
    const saidBytes = bytesOf(spoken)
    spent.textBytes += saidBytes
    spent.hasRoom = input.hold(saidBytes)
    spent.tokens += tokensOf(spoken.usage, { ...input, messages, tools: input.toolset.tools }, saidBytes)
    const requests = await judgeAll(deps, input, spoken.requests, limits.calls - spent.calls)
    if (requests === null) return { finishReason: 'cancelled' }
    const assistant = assistantTurn(spoken.text, requests)
    messages.push(assistant)
    await input.tell({ type: 'turn', message: assistant })
    if (requests.length === 0) return { finishReason: spoken.wasCut ? 'length' : 'stop' }
    const wanted = requests.filter(({ refusal }) => refusal === null)
    const calls = wanted.map((request) => toCall(request, step, spent.calls++))
    const results = await runCalls(calls, metered(input, spent), {
      tell: input.tell,
      maxParallel: limits.parallelCalls,
      now: () => deps.clock.now(),
      mayStart: () => !input.signal.aborted && spent.hasRoom && spent.outputBytes < limits.outputBytes,
    })
    const parts = resultParts(requests, results)
    const redacted = parts.map((part) => redactedResult(part, results.get(part.toolCallId)))
    messages.push(...forModel([{ role: 'tool', parts: redacted }], limits.modelOutputBytes))
    await input.tell({ type: 'turn', message: { role: 'tool', parts } })
    if (input.signal.aborted) return { finishReason: 'cancelled' }
  }
  return { finishReason: 'length' }
}

async function endedBy({ text, failure }: Failed, { signal, tell }: AgentInput): Promise<AgentResult> {
  if (signal.aborted) return { finishReason: 'cancelled' }
  // The words before the failure were streamed already.
  if (text !== '') await tell({ type: 'turn', message: assistantTurn(text, []) })
  return failure
}

// A model call that has begun is not cut short: the last one may go past the tokens.
function mayAskAgain(step: number, spent: { tokens: number }, limits: AgentDeps['limits']): boolean {
  return step <= limits.steps && spent.tokens < limits.executionTokens
}

function metered(
  { call, hold }: Pick<AgentInput, 'call' | 'hold'>,
  spent: { outputBytes: number; hasRoom: boolean },
): CallCapability {
  return async (made) => {
    const result = await call(made)
    if (!result.ok) return result
    const { bytes } = result.output
    spent.outputBytes += bytes
    spent.hasRoom = hold(bytes)
    return result
  }
}

interface Spoken {
  ok: true
  text: string
  requests: ModelCall[]
  wasCut: boolean
  usage: ModelUsage
}

interface Failed {
  ok: false
  text: string
  failure: AgentResult
  usage: ModelUsage
}

/** The result of a model call. */
export type ModelTurn = Spoken | Failed

async function speak(
  deps: AgentDeps,
  input: AgentInput,
  turn: Pick<ModelRequest, 'messages' | 'maxTextBytes'>,
): Promise<ModelTurn> {
  const spoken: Spoken = { ok: true, text: '', requests: [], wasCut: false, usage: NO_USAGE }
  const failed = (error: string, usage: ModelUsage): Failed => {
    return { ok: false, text: spoken.text, failure: { finishReason: 'error', error }, usage }
  }
  const startedAt = deps.clock.now()
  const stepEnd = (usage: ModelUsage): AgentEvent => {
    const durationMs = Math.max(0, deps.clock.now() - startedAt)
    return { type: 'model-step-end', startedAt, durationMs, usage: wholeUsage(usage) }
  }
  const request = {
    instructions: input.instructions,
    ...turn,
    tools: input.toolset.tools,
    signal: input.signal,
    executionId: input.executionId,
  }
  try {
    for await (const event of deps.model.stream(request)) {
      if (event.type === 'end') {
        await input.tell(stepEnd(event.usage))
        return { ...spoken, wasCut: event.reason === 'length', usage: wholeUsage(event.usage) }
      }
      note(spoken, event)
      // Most readers take an event at once, and a promise costs more than the event.
      const told = event.type === 'text' && input.tell(event)
      if (told) await told
    }
    await input.tell(stepEnd(NO_USAGE))
    return failed(CUT_OFF, NO_USAGE)
  } catch (error) {
    if (!(error instanceof ModelError) && !input.signal.aborted) throw error
    if (!(error instanceof ModelError)) return failed(STOPPED, NO_USAGE)
    await input.tell(stepEnd(error.usage))
    return failed(error.message, wholeUsage(error.usage))
  }
}

function note(spoken: Spoken, event: Exclude<ModelEvent, { type: 'end' }>): void {
  if (event.type === 'text') spoken.text += event.content
  else spoken.requests.push(event)
}

function bytesOf({ text, requests }: Spoken): number {
  return requests.reduce((sum, { input }) => sum + jsonBytes(input), Buffer.byteLength(text))
}

interface JudgedRequest {
  part: ToolCallPart
  /** Why it is answered without a dispatch; null when it is dispatched. */
  refusal: string | null
}

/**
 * Judges what a model asked for, one request after the other, so that all of them together do not hold the event loop.
 * At most `maxCalls` are found fit to be made. Null where the execution was stopped meanwhile.
 */
async function judgeAll(
  deps: AgentDeps,
  { toolset, signal }: AgentInput,
  requests: Spoken['requests'],
  maxCalls: number,
): Promise<JudgedRequest[] | null> {
  const judged: JudgedRequest[] = []
  let fit = 0
  for (const request of requests) {
    if (judged.length > 0) await nextTurn()
    const next = await unlessStopped(judge(deps, toolset, request, fit >= maxCalls), signal)
    if (next === null) return null
    if (next.refusal === null) fit += 1
    judged.push(next)
  }
  return judged
}

async function judge(
  deps: AgentDeps,
  toolset: Toolset,
  request: ModelCall,
  isTooMany: boolean,
): Promise<JudgedRequest> {
  const part: ToolCallPart = {
    type: 'tool_call',
    id: deps.newId('call'),
    name: request.name.slice(0, 128) || 'unnamed',
    // What the model wrote stands there even where it is refused, so that it sees what to mend.
    input: isJsonObject(request.input) ? request.input : {},
  }
  return { part, refusal: await toolCallProblem(toolset, request, isTooMany) }
}

function toCall({ part }: JudgedRequest, step: number, ordinal: number): AgentCall {
  return { callId: part.id, capability: part.name, step, ordinal, input: part.input }
}

function assistantTurn(text: string, requests: readonly JudgedRequest[]): Message {
  const calls = requests.map(({ part }) => part)
  const spoken: TextPart[] = text !== '' || calls.length === 0 ? [{ type: 'text', content: text }] : []
  return { role: 'assistant', parts: [...spoken, ...calls] }
}

function resultParts(requests: readonly JudgedRequest[], results: ReadonlyMap<string, CallResult>): ToolResultPart[] {
  return requests.map(({ part, refusal }) => {
    const refused: CallResult = { ok: false, message: refusal ?? NOT_MADE, durationMs: 0 }
    return toolResult(part.id, part.name, results.get(part.id) ?? refused)
  })
}
