import {
  type CapabilityFailure,
  type CapabilityOutput,
  type FieldErrors,
  isBlankToken,
  type JsonObject,
} from '@svc/contract'
import { redactorOf } from '../dispatch/redact.ts'
import { endUserRequired, invalid, notFound } from '../errors.ts'
import { JsonDocument } from '../lib/json-document.ts'
import { type CachedRuntime, lookUpById, revalidating } from '../runtimes/serving.ts'
import type { ServingCapability, ServingRuntime } from '../runtimes/serving-runtime.ts'
import { toSecret } from '../secrets/secret.ts'
import { within } from '../telemetry/tracing.ts'
import { type Admitted, admit, type Caller, type ExecutionRequest } from './admit.ts'
import type { OnceKey } from './batch-rules.ts'
import type { NewCall } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { type Outcome, stoppedOutcome } from './outcome.ts'
import { storedText } from './rules.ts'
import type { ExecutionScope } from './running.ts'
import { sendCall } from './send-call.ts'
import { settle } from './settle.ts'
import { endedCall } from './trace-recorder.ts'

interface CallBody {
  /** `broker` is anonymous, `capability` comes with a public key. */
  kind: 'broker' | 'capability'
  capability: string
  input: JsonObject
  metadata?: JsonObject | undefined
  endUserToken: string | undefined
  /** The key under which the caller may repeat the call. */
  idempotencyKey?: string | undefined
}

export type CallRequest = ReturnType<typeof toCallRequest>

export function toCallRequest({ kind, capability, input, metadata, endUserToken, idempotencyKey }: CallBody) {
  return {
    kind,
    capability,
    idempotencyKey,
    input: new JsonDocument(JSON.stringify(input), input),
    metadata: metadata && JsonDocument.of(metadata),
    endUserToken: toSecret(endUserToken),
  }
}

export type CallOutcome = { ok: true; body: CapabilityOutput } | { ok: false; body: CapabilityFailure }

/** The runtime of a broker call. An unknown runtime, an unknown capability and a missing endpoint are the same 404. */
export function locateBrokered(
  deps: ExecutionDeps,
  runtimeId: string,
  name: string,
): CachedRuntime | Promise<CachedRuntime> {
  return lookUpById(deps, { runtimeId, what: 'The capability' }, (runtime) => findCallable(runtime, name) !== undefined)
}

export function requireEndUser(located: CachedRuntime, name: string, endUserToken: unknown): void | Promise<void> {
  return revalidating(located, (runtime) => checkEndUser(requireCallable(runtime, name), endUserToken))
}

/** Checks capability, end user and input, in this order, and admits the call. Throws the refusal. */
export function admitCall(
  deps: ExecutionDeps,
  caller: Caller,
  request: CallRequest,
  once?: OnceKey,
): Promise<Admitted<NewCall>> {
  const { kind, input, metadata, endUserToken } = request
  return admit(deps, caller, (runtime, startedAt) => {
    const capability = requireCallable(runtime, request.capability, kind === 'broker' ? null : request.capability)
    if (kind === 'broker') checkEndUser(capability, endUserToken)
    const redactor = redactorOf(endUserToken)
    const accept = (faults: FieldErrors | null): ExecutionRequest<NewCall> => {
      if (faults) throw invalidInput(faults)
      const stored = storedText(redactor.jsonText(input.text), deps.limits.storedBytes)
      const { name, effect } = capability
      const what = { capability: name, effect, ...(endUserToken && { hasToken: true }) }
      const call = { callId: deps.newId('call'), ordinal: 0, ...what, step: 0, input: stored, startedAt }
      return { kind, metadata, messageShape: '[]', endUserToken, redactor, call, once }
    }
    const faults = capability.checkInput(input, 'input', caller.scope.signal)
    return faults instanceof Promise ? faults.then(accept) : accept(faults)
  })
}

/** Makes an admitted call and settles it. A failed call is a result; throws only where its settlement is unknown. */
export async function runCall(
  deps: ExecutionDeps,
  admitted: Admitted<NewCall>,
  request: CallRequest,
  scope: ExecutionScope,
): Promise<CallOutcome> {
  const { call } = admitted.request
  const result = await sendCall(deps, { admitted, scope }, { callId: call.callId, ...request })
  const ended: Outcome = result.ok
    ? { status: 'completed', finishReason: 'stop', error: null }
    : { status: 'failed', finishReason: 'error', error: result.message }
  const calls = [endedCall(call, result, deps.limits.storedBytes)]
  const trace = { messageShape: '[]', steps: [], inputTokens: 0, outputTokens: 0, calls }
  const { outcome, durationMs } = await within(scope.span, 'settle', () =>
    settle(deps, admitted, scope.stopReason ? stoppedOutcome(scope.stopReason) : ended, trace),
  )
  const { executionId } = admitted
  if (outcome.status === 'failed')
    return { ok: false, body: { executionId, error: { message: outcome.error }, durationMs } }
  return { ok: true, body: { executionId, output: result.ok ? result.output : null, durationMs } }
}

function checkEndUser(capability: ServingCapability, endUserToken: unknown): void {
  const isMissing = typeof endUserToken === 'string' ? isBlankToken(endUserToken) : !endUserToken
  if (capability.requiresEndUser && isMissing) throw endUserRequired()
}

/** `shownName` is repeated in the refusal: null on the broker, whose 404s are all the same. */
function requireCallable(runtime: ServingRuntime, name: string, shownName: string | null = null): ServingCapability {
  const capability = findCallable(runtime, name)
  if (!capability) throw notFound(shownName === null ? 'The capability' : `The capability “${shownName.slice(0, 128)}”`)
  return capability
}

function findCallable(runtime: ServingRuntime, name: string): ServingCapability | undefined {
  const capability = runtime.endpoint === null ? undefined : runtime.deployment?.capabilities.get(name)
  return capability?.confirm ? undefined : capability
}

// Names the input as a whole, too, for callers that look for the field they sent.
function invalidInput(faults: FieldErrors) {
  return invalid({ ...faults, input: ['does not fit the capability’s input schema.', ...(faults['input'] ?? [])] })
}
