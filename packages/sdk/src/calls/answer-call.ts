import { CallMode, CapabilityCall, isJsonObject, PROBE_CAPABILITY, reservedOutputFaults } from '@svc/contract'
import type { AnyCapability } from '../capabilities/define-capability.ts'
import type { Runtime } from '../capabilities/define-runtime.ts'
import type { Clock } from '../clock.ts'
import { EffectStoreFullError } from '../errors.ts'
import type { EffectLog } from './effect-log.ts'
import type { PermissionsOf } from './lacking-permissions.ts'
import type { TellOwner } from './owner-notices.ts'
import { json, jsonText, refusal } from './responses.ts'
import { type CallOutcome, runCapability } from './run-capability.ts'

/** Which call an error belongs to; absent where the fault lay outside any call. */
export interface FailedCall {
  readonly executionId: string
  readonly callId: string
  readonly capability: string
}

/** What verified calls are answered with. */
export interface CallServices {
  readonly runtime: Runtime
  readonly clock: Clock
  readonly permissionsOf: PermissionsOf | undefined
  readonly exposeErrors: boolean
  /** Where outcomes are recorded, if they are. */
  readonly effects: EffectLog | undefined
  readonly report: (error: unknown, call?: FailedCall) => void
  readonly tellOwner: TellOwner
}

/** Answers a verified call by its body. */
export async function answerCall(services: CallServices, signal: AbortSignal, body: Uint8Array): Promise<Response> {
  const startedAt = new Date(services.clock.now())
  const payload = parseJson(body)
  if (!payload.ok) return refusal('invalid_json')
  const { value } = payload
  if (!isJsonObject(value) || typeof value['capability'] !== 'string') return refusal('missing_capability')
  if (value['capability'] === PROBE_CAPABILITY) return json(200, { output: { ok: true } })
  // A mode says that the capability must not run: one that is not known here must not be taken for a plain call.
  if (value['mode'] !== undefined && !CallMode.safeParse(value['mode']).success)
    return unsupported(services, OTHER_MODE)
  const capability = services.runtime.find(value['capability'])
  if (!capability) {
    services.tellOwner('unknown_capability', UNKNOWN_CAPABILITY_ADVICE)
    return refusal('unknown_capability')
  }
  const call = CapabilityCall.safeParse(value)
  if (!call.success) return refusal('invalid_json')
  if (call.data.mode === 'reconcile') return answerReconcile(services, capability, call.data)
  if (call.data.mode === 'preview' && !capability.preview) return unsupported(services, NO_PREVIEW)
  return answerRun(services, capability, { call: call.data, startedAt, signal })
}

interface Arrived {
  readonly call: CapabilityCall
  readonly startedAt: Date
  readonly signal: AbortSignal
}

async function answerRun(
  services: CallServices,
  capability: AnyCapability,
  { call, startedAt, signal }: Arrived,
): Promise<Response> {
  const { permissionsOf, exposeErrors, effects } = services
  const run = () => runCapability(capability, call, { startedAt, signal, permissionsOf, exposeErrors })
  if (!effects || call.mode !== undefined || !isRecorded(capability)) {
    return answerOutcome(services, call, await run())
  }
  try {
    return answerOutcome(services, call, await effects.once(call, run))
  } catch (error) {
    return effectStoreFailed(services, call, error)
  }
}

async function answerReconcile(
  services: CallServices,
  capability: AnyCapability,
  call: CapabilityCall,
): Promise<Response> {
  if (!services.effects) return unsupported(services, NO_EFFECTS)
  try {
    const answer = await services.effects.reconcile(call, isRecorded(capability))
    return 'ok' in answer ? answerOutcome(services, call, answer) : json(200, { output: answer })
  } catch (error) {
    return effectStoreFailed(services, call, error)
  }
}

function isRecorded({ effect }: AnyCapability): boolean {
  return effect !== 'read'
}

function answerOutcome(services: CallServices, call: CapabilityCall, outcome: CallOutcome): Response {
  if (outcome.ok) {
    if (services.exposeErrors && outcome.reserved !== undefined) reportReserved(services, outcome.reserved, call)
    return jsonText(200, `{"output":${outcome.outputJson}}`)
  }
  if ('error' in outcome) services.report(outcome.error, namesOf(call))
  return json(200, { output: null, error: { code: outcome.code, message: outcome.message } })
}

// A store that cannot tell refuses: running without it could let a call take effect twice.
function effectStoreFailed(services: CallServices, call: CapabilityCall, error: unknown): Response {
  services.report(error, namesOf(call))
  const isFull = error instanceof EffectStoreFullError
  return json(503, { error: isFull ? 'effect_store_full' : 'effect_store_unavailable' })
}

function reportReserved(services: CallServices, reserved: unknown, call: CapabilityCall): void {
  const faults = Object.entries(reservedOutputFaults(reserved)).flatMap(([field, sentences]) =>
    sentences.map((sentence) => `${field} ${sentence}`),
  )
  if (faults.length > 0) services.report(new TypeError(`“${call.capability}”: ${faults.join(' ')}`), namesOf(call))
}

function namesOf({ executionId, callId, capability }: CapabilityCall): FailedCall {
  return { executionId, callId, capability }
}

function unsupported(services: CallServices, message: string): Response {
  services.tellOwner('unsupported_mode', message)
  return refusal('unsupported_mode', message)
}

const OTHER_MODE = 'This endpoint knows no such mode of a call, and ran nothing: update @svc/sdk here.'
const NO_EFFECTS = 'This endpoint records no outcomes of calls: pass effects to defineRuntime(), and deploy again.'
const NO_PREVIEW = 'This capability has no preview here: restart this server with the deployed code.'
const UNKNOWN_CAPABILITY_ADVICE = 'it is deployed, but not served here: restart this server with the deployed code'

function parseJson(bytes: Uint8Array): { ok: true; value: unknown } | { ok: false } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}
