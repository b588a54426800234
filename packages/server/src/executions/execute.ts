import { DEFAULT_EFFECT, type ExecuteResponse, type JsonObject, type Message, type StreamEvent } from '@svc/contract'
import type { AgentEvent, AgentResult, Emit } from '../agent/agent-event.ts'
import { type AgentDeps, runAgent } from '../agent/run-agent.ts'
import type { CallCapability } from '../agent/run-calls.ts'
import type { Toolset } from '../agent/tools.ts'
import { failureOf, toolResult } from '../agent/transcript.ts'
import { createApprovalRequests } from '../approvals/ask-approval.ts'
import { type Redactor, redactorOf } from '../dispatch/redact.ts'
import { tokenSubject } from '../end-users/token-subject.ts'
import { AppError } from '../errors.ts'
import { JsonDocument } from '../lib/json-document.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import { type Secret, toSecret } from '../secrets/secret.ts'
import { within } from '../telemetry/tracing.ts'
import { TRUNCATED } from '../usage/truncated.js'
import { type Admitted, admit, type Caller, type ExecutionRequest } from './admit.ts'
import { ENDED_UNANSWERED } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { observeModelCalls } from './observe-model-calls.ts'
import { outcomeOf } from './outcome.ts'
import { reconcileAddressHash } from './reconcile-rules.ts'
import type { ExecutionScope } from './running.ts'
import { interruptedResult, sendCall } from './send-call.ts'
import { settle } from './settle.ts'
import { newCall, type PayloadRules, shapeText, TraceRecorder } from './trace-recorder.ts'

interface ExecuteBody {
  messages: readonly Message[]
  metadata?: JsonObject | undefined
  endUserToken?: string | undefined
  detach?: boolean | undefined
}

export type ExecuteInput = ReturnType<typeof toExecuteInput>

export function toExecuteInput({ messages, metadata, endUserToken, detach = false }: ExecuteBody) {
  const given = { metadata: metadata && JsonDocument.of(metadata), endUserToken: toSecret(endUserToken) }
  return { messages, ...given, isDetached: detach }
}

/** Takes every event but the last one, in order. The loop awaits it, so a slow reader slows its own execution. */
export type OnEvent = (event: Exclude<StreamEvent, { type: 'done' }>) => Promise<void> | void

/** Admits an execute, or throws the refusal. Every later failure is a result. */
export function admitExecution(deps: ExecutionDeps, caller: Caller, input: ExecuteInput): Promise<Admitted<null>> {
  const { metadata, endUserToken } = input
  const messageShape = shapeText(input.messages)
  const redactor = redactorOf(endUserToken)
  const request = { kind: 'execute', metadata, messageShape, endUserToken, redactor, call: null } as const
  const split = { subject: () => splitSubject(input) }
  return admit(deps, { ...caller, split }, () => request)
}

/** The end user, else the conversation; null for neither. */
export function splitSubject(given: {
  endUserToken?: Secret | undefined
  metadata?: JsonDocument<JsonObject> | undefined
}) {
  const { endUserToken: user, metadata } = given
  if (user) return { kind: 'end-user', id: tokenSubject(user.reveal()) } as const
  const id = metadata?.value['conversationId']
  return typeof id === 'string' && id !== '' ? ({ kind: 'conversation', id } as const) : null
}

interface Run {
  scope: ExecutionScope
  onEvent: OnEvent
  /** Counts bytes by which the transcript grew. False once the account is past its share. */
  hold: (bytes: number) => boolean
}

/** Runs an admitted execution and settles it. A failed one is a result; throws only after an unknown commit. */
export async function runExecution(
  deps: ExecutionDeps,
  admitted: Admitted<null>,
  input: ExecuteInput,
  { scope, onEvent, hold }: Run,
): Promise<ExecuteResponse> {
  const { executionId, runtime, request } = admitted
  const recorder = new TraceRecorder(request.messageShape, payloadRules(deps, admitted))
  const approvals = createApprovalRequests(deps, { admitted, scope })
  const added: Message[] = []
  const emit: Emit = (event) => {
    recorder.add(event)
    if (event.type === 'turn') added.push(event.message)
    const shown = toStreamEvent(event)
    return shown ? onEvent(shown) : undefined
  }
  const loop = runAgent(
    { observe: observeModelCalls(deps, scope), ...deps, limits: agentLimits(deps, runtime) },
    {
      executionId,
      instructions: runtime.deployment?.instructions ?? null,
      messages: redactedHistory(input.messages, request.redactor),
      toolset: toolsetOf(runtime, scope.signal),
      judge: approvals.judge,
      call: createRecordedCall(deps, { admitted, recorder, scope }),
      emit,
      signal: scope.signal,
      hold,
    },
  )
  const result = await loop.catch((error: unknown): AgentResult => {
    deps.logger.error({ err: error, executionId }, 'an execution failed with an internal error')
    return { finishReason: 'error', error: OUR_FAULT }
  })
  const closing = closingTurn(added)
  if (closing) await emit({ type: 'turn', message: closing })
  const trace = recorder.trace()
  const { outcome, durationMs } = await within(scope.span, 'settle', () =>
    settle(deps, admitted, outcomeOf(result, scope.stopReason), trace),
  )
  const asked = approvals.asked()
  // Told once they are stored with their execution: nobody can decide before it has ended.
  if (outcome.finishReason !== 'approval_required') await approvals.withdraw()
  else for (const approval of asked) await onEvent({ type: 'approval_required', ...approval })
  return {
    executionId,
    status: outcome.status,
    messages: added,
    finishReason: outcome.finishReason,
    inputTokens: trace.inputTokens,
    outputTokens: trace.outputTokens,
    totalTokens: trace.inputTokens + trace.outputTokens,
    durationMs,
    ...(outcome.error !== null && { error: { message: outcome.error } }),
    ...(outcome.finishReason === 'approval_required' && { approvals: asked }),
  }
}

export function payloadRules(
  { limits }: Pick<ExecutionDeps, 'limits'>,
  { runtime, request }: { runtime: ServingRuntime; request: Pick<ExecutionRequest<null>, 'redactor' | 'endUserToken'> },
): PayloadRules {
  const { redactor, endUserToken } = request
  const effectOf = (name: string) => runtime.deployment?.capabilities.get(name)?.effect ?? DEFAULT_EFFECT
  const hasToken = endUserToken !== undefined
  return { redactor, storedBytes: limits.storedBytes, effectOf, hasToken, sentTo: reconcileAddressHash(runtime) }
}

// A deployment may lower the service's limits.
function agentLimits({ limits }: ExecutionDeps, { deployment }: ServingRuntime): AgentDeps['limits'] {
  const { steps = limits.steps, tokens = limits.executionTokens } = deployment?.agentLimits ?? {}
  const executionTokens = Math.min(tokens, limits.executionTokens)
  return { ...limits, steps: Math.min(steps, limits.steps), executionTokens }
}

// Callers send tool results back as they received them, with the end user's token.
function redactedHistory(messages: readonly Message[], redactor: Redactor): Message[] {
  return messages.map((message) => {
    if (message.role !== 'tool') return message
    const parts = message.parts.map((part) => ({ ...part, output: redactor.json(JsonDocument.of(part.output)) }))
    return { role: 'tool', parts }
  })
}

/** Results for calls without one, so that the transcript can be sent again; null where every call has one. */
function closingTurn(added: readonly Message[]): Message | null {
  const last = added.at(-1)
  if (last?.role !== 'assistant') return null
  const unanswered = { ok: false, message: ENDED_UNANSWERED, durationMs: 0 } as const
  const parts = last.parts.flatMap((part) => (part.type === 'tool_call' ? [toolResult(part, unanswered)] : []))
  return parts.length === 0 ? null : { role: 'tool', parts }
}

export const OUR_FAULT = 'Something went wrong on our side.'

function createRecordedCall(
  deps: ExecutionDeps,
  { admitted, recorder, scope }: { admitted: Admitted<null>; recorder: TraceRecorder; scope: ExecutionScope },
): CallCapability {
  const { executionId, row } = admitted
  const rules = payloadRules(deps, admitted)
  return async (call) => {
    if (!deps.lease.isHeld()) return interruptedResult()
    const recorded = newCall(call, deps.clock.now(), rules)
    const stored = deps.storage.isPast(row.owner_id) ? { ...recorded, input: TRUNCATED } : recorded
    const isOurs = await deps.batchWriter.record({ ownerId: row.owner_id, executionId, ...stored })
    if (!isOurs) return interruptedResult()
    recorder.noteRecorded(recorded)
    return sendCall(deps, { admitted, scope }, call)
  }
}

// Without an endpoint no capability can be called, so the model is given none.
function toolsetOf({ deployment, endpoint }: ServingRuntime, signal: StopSignal): Toolset {
  if (!deployment || endpoint === null) return { tools: [], check: () => undefined }
  return {
    tools: deployment.tools,
    check(name) {
      const capability = deployment.capabilities.get(name)
      if (!capability) return undefined
      return async (input, root) => {
        try {
          return await capability.checkInput(input, root, signal)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          return { [root]: ['could not be checked, because too many inputs are. Call again in a moment.'] }
        }
      }
    },
  }
}

function toStreamEvent(event: AgentEvent): Exclude<StreamEvent, { type: 'done' }> | null {
  if (event.type === 'text') return event
  if (event.type !== 'capability-start' && event.type !== 'capability-end') return null
  const { callId, capability } = event.call
  if (event.type === 'capability-start') return { type: 'capability_start', callId, capability }
  const { result } = event
  const end = { type: 'capability_end', callId, capability, durationMs: result.durationMs } as const
  if (result.ok) return end
  return { ...end, error: failureOf(result), ...(result.unknownAt !== undefined && { outcome: 'unknown' }) }
}
