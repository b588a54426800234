import type { ExecuteResponse, JsonObject, Message, StreamEvent, ToolResultPart } from '@svc/contract'
import type { AgentEvent, AgentResult, Tell } from '../agent/agent-event.ts'
import { type AgentDeps, runAgent } from '../agent/run-agent.ts'
import type { CallCapability } from '../agent/run-calls.ts'
import type { Toolset } from '../agent/tools.ts'
import type { Deps } from '../deps.ts'
import { type Redactor, redactorOf } from '../dispatch/redact.ts'
import { AppError } from '../errors.ts'
import { JsonText } from '../lib/json-text.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { ServingCapability, ServingRuntime } from '../runtimes/serving-runtime.ts'
import type { Secret } from '../secrets/secret.ts'
import { within } from '../telemetry/tracing.ts'
import { TRUNCATED } from '../usage/truncated.js'
import { type Admitted, type Entrant, enter } from './enter.ts'
import { outcomeOf } from './outcome.ts'
import type { ExecutionScope } from './running.ts'
import { interrupted, sendCall } from './send-call.ts'
import { settle } from './settle.ts'
import { newCall, shapeText, TraceRecorder } from './trace-recorder.ts'
import { watchTurns } from './watch-turns.ts'

export interface ExecuteInput {
  /** The page's door has a rate limit, the owner's has none. */
  door: 'page' | 'owner'
  messages: readonly Message[]
  metadata: JsonObject | undefined
  endUserToken: Secret | undefined
}

type ExecuteDeps = Parameters<typeof enter>[0] &
  Parameters<typeof sendCall>[0] &
  Parameters<typeof settle>[0] &
  Pick<Deps, 'callLog' | 'logger' | 'model' | 'newId'>

/** Told of every event before the last one, in order. The loop waits for it, so a slow reader slows its own execution. */
export type OnEvent = (event: Exclude<StreamEvent, { type: 'done' }>) => Promise<void> | void

/** Lets an execute in, or throws why not. Whatever happens later is a result. */
export function admitExecution(deps: ExecuteDeps, entrant: Entrant, input: ExecuteInput): Promise<Admitted<null>> {
  const messageShape = shapeText(input.messages)
  const redactor = redactorOf(input.endUserToken)
  const wish = { kind: 'execute', metadata: input.metadata, messageShape, redactor, call: null } as const
  return enter(deps, input.door, entrant, () => wish)
}

interface Run {
  scope: ExecutionScope
  onEvent: OnEvent
  /** Counts what the transcript grows by. False once the account holds more than its share. */
  hold: (bytes: number) => boolean
}

/**
 * Runs an admitted execution to its end and settles it. A failed one is a result; throws only where its settlement is in
 * doubt.
 */
export async function runExecution(
  deps: ExecuteDeps,
  admitted: Admitted<null>,
  input: ExecuteInput,
  run: Run,
): Promise<ExecuteResponse> {
  const { redactor, messageShape } = admitted.wish
  const recorder = new TraceRecorder(messageShape, { redactor, storedBytes: deps.limits.storedBytes })
  const added: Message[] = []
  const { executionId } = admitted
  const tell: Tell = (event) => {
    recorder.add(event)
    if (event.type === 'turn') added.push(event.message)
    const shown = toStreamEvent(event)
    return shown ? run.onEvent(shown) : undefined
  }
  const loop = runAgent(
    { ...deps, watch: watchTurns(deps, run.scope), limits: agentLimits(deps.limits, admitted.runtime) },
    {
      executionId,
      instructions: admitted.runtime.deployment?.instructions ?? null,
      messages: redactedHistory(input.messages, redactor),
      toolset: toolsetOf(admitted.runtime, run.scope.signal),
      call: recordedCall(deps, { admitted, input, recorder, scope: run.scope }),
      tell,
      signal: run.scope.signal,
      hold: run.hold,
    },
  )
  const result = await loop.catch((error: unknown): AgentResult => {
    deps.logger.error({ err: error, executionId }, 'an execution failed from within')
    return { finishReason: 'error', error: OUR_FAULT }
  })
  const closing = closingTurn(added)
  if (closing) await tell({ type: 'turn', message: closing })
  const trace = recorder.trace()
  const settled = await within(run.scope.span, 'settle', () =>
    settle(deps, admitted, outcomeOf(result, run.scope.stopReason), trace),
  )
  const { outcome } = settled
  return {
    executionId,
    status: outcome.status,
    messages: added,
    finishReason: outcome.finishReason,
    inputTokens: trace.inputTokens,
    outputTokens: trace.outputTokens,
    totalTokens: trace.inputTokens + trace.outputTokens,
    durationMs: settled.durationMs,
    ...(outcome.error !== null && { error: { message: outcome.error } }),
  }
}

// A runtime may lower the service's own.
function agentLimits(limits: Deps['limits'], { deployment }: ServingRuntime): AgentDeps['limits'] {
  const { steps = limits.steps, tokens = limits.executionTokens } = deployment?.agentLimits ?? {}
  return {
    ...limits,
    steps: Math.min(steps, limits.steps),
    executionTokens: Math.min(tokens, limits.executionTokens),
  }
}

// What a caller sends back are answers as they reached it.
function redactedHistory(messages: readonly Message[], redactor: Redactor): Message[] {
  return messages.map((message) => {
    if (message.role !== 'tool') return message
    const parts = message.parts.map((part) => ({ ...part, output: redactor.json(JsonText.of(part.output)) }))
    return { role: 'tool', parts }
  })
}

const NO_ANSWER = 'The execution ended before the answer came.'

/** Answers for calls that have none, so that the turns can be sent again; null where all have one. */
function closingTurn(added: readonly Message[]): Message | null {
  const last = added.at(-1)
  if (last?.role !== 'assistant') return null
  const parts = last.parts.flatMap((part): ToolResultPart[] =>
    part.type === 'tool_call'
      ? [{ type: 'tool_result', toolCallId: part.id, name: part.name, output: null, error: { message: NO_ANSWER } }]
      : [],
  )
  return parts.length === 0 ? null : { role: 'tool', parts }
}

export const OUR_FAULT = 'Something went wrong on our side.'

interface RecordedRun {
  admitted: Admitted<null>
  input: ExecuteInput
  recorder: TraceRecorder
  scope: ExecutionScope
}

function recordedCall(deps: ExecuteDeps, { admitted, input, recorder, scope }: RecordedRun): CallCapability {
  return async (call) => {
    if (!deps.lease.isHeld()) return interrupted()
    const { ownerId } = admitted.runtime
    const { redactor } = admitted.wish
    const recorded = newCall(call, deps.clock.now(), { redactor, storedBytes: deps.limits.storedBytes })
    const isOurs = await deps.callLog.record({
      ...(deps.storage.isPast(ownerId) ? { ...recorded, input: TRUNCATED } : recorded),
      ownerId,
      executionId: admitted.executionId,
    })
    if (!isOurs) return interrupted()
    recorder.noteRecorded(recorded)
    return sendCall(deps, { admitted, endUserToken: input.endUserToken, scope }, call)
  }
}

// Without an endpoint no capability can be called: to the model they are as good as absent.
function toolsetOf({ deployment, endpoint }: ServingRuntime, signal: StopSignal): Toolset {
  if (!deployment || endpoint === null) return { tools: [], check: () => undefined }
  const check = (name: string) => {
    const capability = deployment.capabilities.get(name)
    return capability && ((input: JsonObject, root: string) => checkForModel(capability, input, root, signal))
  }
  return { tools: deployment.tools, check }
}

// A caller is told to come again; a model may go on without.
async function checkForModel({ checkInput }: ServingCapability, input: JsonObject, root: string, signal: StopSignal) {
  try {
    return await checkInput(input, root, undefined, signal)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { [root]: ['could not be checked, because too many inputs are. Call again in a moment.'] }
  }
}

function toStreamEvent(event: AgentEvent): Exclude<StreamEvent, { type: 'done' }> | null {
  switch (event.type) {
    case 'text':
      return event
    case 'capability-start':
      return { type: 'capability_start', callId: event.call.callId, capability: event.call.capability }
    case 'capability-end':
      return {
        type: 'capability_end',
        callId: event.call.callId,
        capability: event.call.capability,
        durationMs: event.result.durationMs,
        ...(!event.result.ok && { error: { message: event.result.message } }),
      }
    default:
      return null
  }
}
