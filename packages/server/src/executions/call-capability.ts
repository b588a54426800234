import {
  type CapabilityFailure,
  type CapabilityOutput,
  type FieldErrors,
  isBlankToken,
  type JsonObject,
} from '@svc/contract'
import { redactorOf } from '../dispatch/redact.ts'
import { endUserRequired, invalid, notFound } from '../errors.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import { confirming, type Located, locateById, type ServingDeps } from '../runtimes/serving.ts'
import type { ServingCapability, ServingRuntime } from '../runtimes/serving-runtime.ts'
import { toSecret } from '../secrets/secret.ts'
import { within } from '../telemetry/tracing.ts'
import type { NewCall } from './call-rules.ts'
import { type Admitted, type Entrant, enter, type Wish } from './enter.ts'
import { type Outcome, stoppedOutcome } from './outcome.ts'
import { storedText } from './rules.ts'
import type { ExecutionScope } from './running.ts'
import { sendCall } from './send-call.ts'
import { settle } from './settle.ts'
import { endedCall } from './trace-recorder.ts'

interface GivenCall {
  capability: string
  input: JsonObject
  metadata?: JsonObject | undefined
  endUserToken: string | undefined
}

export type CallInput = ReturnType<typeof toCallInput>

/** A call as somebody asked for it. Its parts are written as text once, however often they are measured, kept and sent. */
export function toCallInput({ capability, input, metadata, endUserToken }: GivenCall) {
  const [inputText, metadataText] = [JSON.stringify(input), metadata && JSON.stringify(metadata)]
  return { capability, input, inputText, metadata, metadataText, endUserToken: toSecret(endUserToken) }
}

type CallDeps = Parameters<typeof enter>[0] & Parameters<typeof sendCall>[0] & Parameters<typeof settle>[0]

export type AdmittedCall = Admitted<NewCall>

export type CallOutcome = { ok: true; body: CapabilityOutput } | { ok: false; body: CapabilityFailure }

/**
 * The runtime of the capability that a stranger asks the broker for. Unknown runtime, unknown capability and missing
 * endpoint are one and the same 404, so that none of them can be told from the others.
 */
export function locateBrokered(deps: ServingDeps, runtimeId: string, name: string): Located | Promise<Located> {
  return locateById(deps, runtimeId, (runtime) => callable(runtime, name) !== undefined)
}

/** Lets a stranger's call in: look-up, end user, input, then what it costs. Throws the refusal. */
export function admitBrokerCall(deps: CallDeps, entrant: Entrant, input: CallInput): Promise<AdmittedCall> {
  return enter(deps, 'broker', entrant, (runtime, startedAt) => {
    const capability = brokered(runtime, input.capability)
    checkEndUser(capability, input.endUserToken)
    return wishFor(deps, { kind: 'broker', capability, startedAt, signal: entrant.scope.signal }, input)
  })
}

export function requireEndUser(located: Located, name: string, endUserToken: unknown): void | Promise<void> {
  return confirming(located, (runtime) => checkEndUser(brokered(runtime, name), endUserToken))
}

/** Lets a page's call in: look-up and input, then what it costs. Throws the refusal, which names an unknown capability. */
export function admitPageCall(deps: CallDeps, entrant: Entrant, input: CallInput): Promise<AdmittedCall> {
  return enter(deps, 'page', entrant, (runtime, startedAt) => {
    const capability = callable(runtime, input.capability)
    if (!capability) throw notFound(`The capability “${input.capability.slice(0, 128)}”`)
    return wishFor(deps, { kind: 'capability', capability, startedAt, signal: entrant.scope.signal }, input)
  })
}

/** Makes an admitted call and settles it. A failed call is a result; throws only where its settlement is in doubt. */
export async function runCall(
  deps: CallDeps,
  admitted: AdmittedCall,
  input: CallInput,
  scope: ExecutionScope,
): Promise<CallOutcome> {
  const { call } = admitted.wish
  const { endUserToken } = input
  const result = await sendCall(deps, { admitted, endUserToken, scope }, { ...input, callId: call.callId })
  const ended: Outcome = result.ok
    ? { status: 'completed', finishReason: 'stop', error: null }
    : { status: 'failed', finishReason: 'error', error: result.message }
  const trace = {
    messageShape: '[]',
    steps: [],
    inputTokens: 0,
    outputTokens: 0,
    calls: [endedCall(call, result, deps.limits.storedBytes)],
  }
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

function brokered(runtime: ServingRuntime, name: string): ServingCapability {
  const capability = callable(runtime, name)
  if (!capability) throw notFound('The capability')
  return capability
}

function callable(runtime: ServingRuntime, name: string): ServingCapability | undefined {
  return runtime.endpoint === null ? undefined : runtime.deployment?.capabilities.get(name)
}

interface Asked {
  kind: 'broker' | 'capability'
  capability: ServingCapability
  startedAt: number
  /** Takes the input out of the queue of the schema thread. */
  signal: StopSignal
}

function wishFor(
  { newId, limits }: CallDeps,
  { kind, capability, startedAt, signal }: Asked,
  { input, inputText, metadata, metadataText, endUserToken }: CallInput,
): Wish<NewCall> | Promise<Wish<NewCall>> {
  const redactor = redactorOf(endUserToken)
  const wish = (faults: FieldErrors | null): Wish<NewCall> => {
    // Named as a whole too, for callers that look for the field they sent.
    if (faults)
      throw invalid({ ...faults, input: ['does not fit the capability’s input schema.', ...(faults['input'] ?? [])] })
    const stored = storedText(redactor.jsonText(inputText), limits.storedBytes)
    const call = { callId: newId('call'), ordinal: 0, capability: capability.name, step: 0, input: stored, startedAt }
    return { kind, metadata, metadataText, messageShape: '[]', redactor, call }
  }
  const faults = capability.checkInput(input, 'input', inputText, signal)
  return faults instanceof Promise ? faults.then(wish) : wish(faults)
}
