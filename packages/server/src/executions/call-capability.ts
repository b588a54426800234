import {
  type CapabilityApproval,
  type CapabilityFailure,
  type CapabilityOutput,
  type ExecutionSurface,
  type FieldErrors,
  isBlankToken,
  type JsonObject,
} from '@svc/contract'
import type { Judgement } from '../agent/run-calls.ts'
import { createApprovalRequests } from '../approvals/ask-approval.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import { redactorOf } from '../dispatch/redact.ts'
import type { SignedInUser } from '../end-users/signed-in-user.ts'
import { requireSameSignIn } from '../end-users/verify-token.ts'
import { approvalNeeded, endUserRequired, invalid, notFound } from '../errors.ts'
import { JsonDocument } from '../lib/json-document.ts'
import type { ServingCapability, ServingRuntime } from '../runtimes/serving-runtime.ts'
import { toSecret } from '../secrets/secret.ts'
import { within } from '../telemetry/tracing.ts'
import { type Admitted, admit, type Caller, type ExecutionRequest } from './admit.ts'
import type { StoredIdempotencyKey } from './batch-rules.ts'
import type { NewCall, SettledCall } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { OUR_FAULT, payloadRules, splitSubject } from './execute.ts'
import { type Outcome, stoppedOutcome } from './outcome.ts'
import type { ExecutionScope } from './running.ts'
import { interruptedResult, sendCall } from './send-call.ts'
import { settle } from './settle.ts'
import { endedCall, newCall } from './trace-recorder.ts'

interface CallBody {
  /** `broker` is anonymous, `capability` comes with a public key or a user who signed in. */
  kind: 'broker' | 'capability'
  capability: string
  input: JsonObject
  metadata?: JsonObject | undefined
  endUserToken: string | undefined
  endUser?: SignedInUser | undefined
  /** The key under which the caller may repeat the call. */
  idempotencyKey?: string | undefined
  /** The protocol of a broker call that came by another route than the broker's own. */
  surface?: ExecutionSurface | undefined
  /** Whether a call that a person has to approve may ask for it. Set on a surface that knows such calls. */
  canAsk?: boolean | undefined
  /** Whether the call to the endpoint is cancelled when the caller leaves. */
  endsWithCaller?: boolean | undefined
}

export type CallRequest = ReturnType<typeof toCallRequest>

export function toCallRequest(body: CallBody) {
  const { input, metadata, endUserToken, ...rest } = body
  return {
    input: JsonDocument.of(input),
    metadata: metadata && JsonDocument.of(metadata),
    endUserToken: toSecret(endUserToken),
    ...rest,
  }
}

export type CallOutcome =
  | { ok: true; body: CapabilityOutput | CapabilityApproval }
  | { ok: false; body: CapabilityFailure }

/** Checks capability, end user and input, in this order, and admits the call. A call that needs approval is not stored yet. */
export function admitCall(
  deps: ExecutionDeps,
  caller: Caller,
  request: CallRequest,
  storedKey?: StoredIdempotencyKey,
): Promise<Admitted<NewCall | null>> {
  const { kind, surface, input, metadata, endUserToken, endUser } = request
  // Anonymous callers and agents get the stable deployment.
  const split = kind === 'capability' && !surface ? { subject: () => splitSubject(request) } : undefined
  return admit(deps, { ...caller, split }, (runtime, startedAt) => {
    requireSameSignIn(deps, runtime, endUser)
    const capability = requireCallable(runtime, request.capability, surface ? 'capability' : kind)
    if (kind === 'broker') checkEndUser(capability, endUserToken)
    if (capability.confirm && request.canAsk === false) throw approvalNeeded()
    const redactor = redactorOf(endUserToken)
    const accept = (faults: FieldErrors | null): ExecutionRequest<NewCall | null> => {
      if (faults) throw invalidInput(faults)
      const asked = { kind, surface, metadata, messageShape: '[]', endUserToken, endUser, redactor, storedKey }
      if (capability.confirm) return { call: null, ...asked }
      const made = { callId: deps.newId('call'), ordinal: 0, step: 0, capability: capability.name, input }
      return { call: newCall(made, startedAt, payloadRules(deps, { runtime, request: asked })), ...asked }
    }
    const faults = capability.checkInput(input, 'input', caller.scope.signal)
    return faults instanceof Promise ? faults.then(accept) : accept(faults)
  })
}

/** Makes an admitted call and settles it. A failed call is a result; throws only after an unknown commit. */
export async function runCall(
  deps: ExecutionDeps,
  admitted: Admitted<NewCall | null>,
  request: CallRequest,
  scope: ExecutionScope,
): Promise<CallOutcome> {
  const { call } = admitted.request
  if (call === null) return askOrCall(deps, { admitted, scope }, request)
  const result = await sendCall(deps, { admitted, scope }, { callId: call.callId, ...request })
  return settleCall(deps, { admitted, scope }, { result, call })
}

type Running = { admitted: Admitted<NewCall | null>; scope: ExecutionScope }

/** Asks a person to approve the call of a capability with `confirm`, or makes it where this input needs nobody. */
async function askOrCall(deps: ExecutionDeps, running: Running, request: CallRequest): Promise<CallOutcome> {
  const { admitted } = running
  const { executionId } = admitted
  const made = { ...request, callId: deps.newId('call'), step: 0, ordinal: 0 }
  const call = newCall(made, deps.clock.now(), payloadRules(deps, admitted))
  const approvals = createApprovalRequests(deps, running)
  const run = async (): Promise<Judgement | { kind: 'made'; result: CallResult }> => {
    const judged = await approvals.judge(made)
    if (judged) return judged
    const isOurs = await deps.batchWriter.record({ ...call, ownerId: admitted.row.owner_id, executionId })
    return { kind: 'made', result: isOurs ? await sendCall(deps, running, made) : interruptedResult() }
  }
  const { kind, result } = await run().catch((error: unknown) => {
    deps.logger.error({ err: error, executionId }, 'an execution failed with an internal error')
    return { kind: 'made', result: { ok: false, message: OUR_FAULT, durationMs: 0 } } as const
  })
  const [approval] = approvals.asked()
  if (kind !== 'waits' || !approval)
    return settleCall(deps, running, { result, call: kind === 'refused' ? null : call })
  const ended: Outcome = { status: 'completed', finishReason: 'approval_required', error: null }
  const { outcome, durationMs } = await settleAs(deps, running, ended, [])
  if (outcome.status === 'completed') return { ok: true, body: { executionId, approval } }
  await approvals.withdraw()
  return { ok: false, body: { executionId, error: { message: outcome.error }, durationMs } }
}

async function settleCall(
  deps: ExecutionDeps,
  running: Running,
  { result, call }: { result: CallResult; call: NewCall | null },
): Promise<CallOutcome> {
  const ended: Outcome = result.ok
    ? { status: 'completed', finishReason: 'stop', error: null }
    : { status: 'failed', finishReason: 'error', error: result.message }
  const calls = call ? [endedCall(call, result, deps.limits.storedBytes)] : []
  const { outcome, durationMs } = await settleAs(deps, running, ended, calls)
  const { executionId } = running.admitted
  if (outcome.status === 'failed') {
    const body: CapabilityFailure = { executionId, error: { message: outcome.error }, durationMs }
    const isUnknown = result.ok || result.unknownAt !== undefined
    return { ok: false, body: isUnknown ? { ...body, outcome: 'unknown' } : body }
  }
  return { ok: true, body: { executionId, output: result.ok ? result.output : null, durationMs } }
}

function settleAs(deps: ExecutionDeps, { admitted, scope }: Running, ended: Outcome, calls: readonly SettledCall[]) {
  const trace = { messageShape: '[]', steps: [], inputTokens: 0, outputTokens: 0, calls }
  const outcome = scope.stopReason ? stoppedOutcome(scope.stopReason) : ended
  return within(scope.span, 'settle', () => settle(deps, admitted, outcome, trace))
}

export function checkEndUser(capability: ServingCapability, endUserToken: unknown): void {
  const isMissing = typeof endUserToken === 'string' ? isBlankToken(endUserToken) : !endUserToken
  if (capability.requiresEndUser && isMissing) throw endUserRequired()
}

/** The refusal names the capability, but not on the broker, whose 404s are all the same. */
export function requireCallable(
  runtime: ServingRuntime,
  name: string,
  kind: CallBody['kind'] = 'broker',
): ServingCapability {
  const capability = findCallable(runtime, name, kind)
  if (!capability) throw notFound(kind === 'broker' ? 'The capability' : `The capability “${name.slice(0, 128)}”`)
  return capability
}

// The broker knows no capability that a person approves: nobody there could be asked.
export function findCallable(
  runtime: ServingRuntime,
  name: string,
  kind: CallBody['kind'] = 'broker',
): ServingCapability | undefined {
  const capability = runtime.endpoint === null ? undefined : runtime.deployment?.capabilities.get(name)
  return capability?.confirm && kind === 'broker' ? undefined : capability
}

// Names the input as a whole, too, for callers that look for the field they sent.
function invalidInput(faults: FieldErrors) {
  return invalid({ ...faults, input: ['does not fit the capability’s input schema.', ...(faults['input'] ?? [])] })
}
