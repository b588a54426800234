import { RECEIVER_REFUSALS, type ReceiverRefusal } from '@svc/contract'
import { isRuntime, type Runtime } from '../capabilities/define-runtime.ts'
import type { Clock } from '../clock.ts'
import { NonceStoreFullError } from '../errors.ts'
import { limitClaims } from '../nonces/limit-claims.ts'
import { createMemoryNonceStore } from '../nonces/memory-nonce-store.ts'
import type { NonceStore } from '../nonces/nonce-store.ts'
import { answerCall, type CallServices, type FailedCall } from './answer-call.ts'
import { type CredentialOptions, type Credentials, readCredentials } from './credentials.ts'
import { EffectLog } from './effect-log.ts'
import type { PermissionsOf } from './lacking-permissions.ts'
import { createOwnerNotices } from './owner-notices.ts'
import { rawBodyRequired } from './raw-body-required.ts'
import { type BodyReading, DEFAULT_MAX_BODY_BYTES, readBody } from './read-body.ts'
import { json, refusal } from './responses.ts'
import { tellConsole } from './tell-console.ts'
import { type KeyedReceiver, readEnvelope, signersOf, verifyBody } from './verify-signature.ts'

/** What a handler is made of. */
export interface HandlerOptions extends CredentialOptions {
  /** What `defineRuntime` returned. */
  readonly runtime: Runtime
  /**
   * Default: in memory, for one long-lived process. Several processes, or short-lived ones, need a shared store.
   * `accept-cold`: in memory, for a handler that is made at its first call. A call that another process answered within
   * the last five minutes can then be replayed.
   */
  readonly nonceStore?: NonceStore | 'accept-cold' | undefined
  /** How long the nonce store may take for one claim, in milliseconds; past it calls are refused. Default 5,000. */
  readonly nonceTimeoutMs?: number | undefined
  /**
   * How long the runtime’s effect store may take for one step, in milliseconds; past it calls are refused before they begin.
   * Default 5,000.
   */
  readonly effectTimeoutMs?: number | undefined
  /**
   * How long a repeated call waits for the outcome of the first one, in milliseconds; past it the outcome is answered as
   * unknown. Default 20,000, below the 30 seconds that the control plane waits.
   */
  readonly effectWaitMs?: number | undefined
  /** Required where a capability has `permissions`: looks up which ones the end user of a call holds. */
  readonly permissionsOf?: PermissionsOf | undefined
  /** Default: the machine’s clock. */
  readonly clock?: Clock | undefined
  /**
   * Given every unexpected error, for the owner’s own log: nothing else sees its stack. Of refused calls, which anonymous callers
   * can send, it hears what points to a wrong set-up, once a minute for each code.
   */
  readonly onError?: ((error: unknown, call?: FailedCall) => unknown) | undefined
  /**
   * True: the message of every thrown error is answered, for development. Default: the message of a `CapabilityError` alone;
   * any other error is answered as “The capability failed.” with the call’s id. With it `onError` also hears what a chat would
   * leave out of an output’s reserved key `svc`.
   */
  readonly exposeErrors?: boolean | undefined
  /** Bodies past this many bytes are answered 413, by every adapter too. Default 2 MiB. */
  readonly maxBodyBytes?: number | undefined
}

/** Answers one request of the control plane. Never rejects. */
export type CapabilityHandler = (request: Request) => Promise<Response>

interface Services extends CallServices, Omit<KeyedReceiver, 'clock'> {
  readonly maxBodyBytes: number
}

/**
 * Makes the function that serves a runtime’s endpoint: a web-standard `Request` in, a `Response` out. Make it once, when
 * the server starts. Where `runtimeId` or `secret` is missing or wrong it answers every request 503 `not_configured`, and says
 * once what is missing, to `onError` or else on the console. Throws a `TypeError` where `permissionsOf` is missing.
 * @example
 * const handler = createHandler({ runtime, runtimeId: process.env.SVC_RUNTIME_ID, secret: process.env.SVC_RUNTIME_SECRET })
 * export const POST = handler
 * @example
 * // Where capabilities ask for permissions: what the end user holds, in the owner’s own words.
 * createHandler({ runtime, runtimeId, secret, permissionsOf: async ({ endUserToken }) => rolesOf(await userOf(endUserToken)) })
 */
export function createHandler(options: HandlerOptions): CapabilityHandler {
  const { runtime } = options
  if (!isRuntime(runtime)) throw new TypeError('createHandler: runtime must be what defineRuntime() returned.')
  refuseUncheckedPermissions(options)
  const credentials = readCredentials(options)
  if (!credentials.ok) return unconfigured(options, credentials.problem)
  const services = servicesOf(options, credentials)
  // Node links a Request to the signal that it was made with weakly: one that nobody holds on to never aborts.
  const underWay = new Set<Request>()
  return async (request) => {
    underWay.add(request)
    try {
      return await answer(services, request)
    } catch (error) {
      services.report(error)
      return json(500, { error: 'internal_error' })
    } finally {
      underWay.delete(request)
    }
  }
}

// The owner’s application goes on without its capabilities: a missing variable must not keep it from starting.
function unconfigured(options: HandlerOptions, problem: string): CapabilityHandler {
  const { onError = tellConsole } = options
  reporter(onError)(new Error(`Capability calls are answered 503 not_configured. createHandler: ${problem}`))
  return async () => json(503, { error: 'not_configured' })
}

function servicesOf(options: HandlerOptions, { runtimeId, secrets }: Credentials & { ok: true }): Services {
  const { runtime, clock = Date, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, onError } = options
  const { permissionsOf, exposeErrors = false, nonceTimeoutMs = 5_000, nonceStore } = options
  const { effectTimeoutMs: timeoutMs = 5_000, effectWaitMs: waitMs = 20_000 } = options
  const inMemory = () => createMemoryNonceStore({ clock, acceptCold: nonceStore === 'accept-cold' })
  const report = reporter(onError)
  const { effects: store } = runtime
  return {
    ...{ runtime, runtimeId, signers: signersOf(secrets), permissionsOf, clock, maxBodyBytes },
    ...{ report, exposeErrors },
    nonceStore: limitClaims(typeof nonceStore === 'object' ? nonceStore : inMemory(), nonceTimeoutMs),
    tellOwner: createOwnerNotices(clock, report),
    effects: store && new EffectLog({ store, runtimeId, clock, timeoutMs, waitMs, onStoreError: report }),
  }
}

function refuseUncheckedPermissions({ runtime, permissionsOf }: HandlerOptions): void {
  if (permissionsOf) return
  const guarded = runtime.capabilities.find(({ permissions = [] }) => permissions.length > 0)
  if (!guarded) return
  throw new TypeError(
    `createHandler: “${guarded.name}” asks for permissions, and nothing says which ones a user holds. ` +
      'Pass permissionsOf: (context) => the permissions of context.endUserToken.',
  )
}

async function answer(services: Services, request: Request): Promise<Response> {
  if (request.method !== 'POST') return json(405, { error: 'method_not_allowed' }, { allow: 'POST' })
  const envelope = readEnvelope(services, request.headers)
  if (!envelope.ok) return refusal(envelope.refusal)
  const body = await readBody(request, services.maxBodyBytes)
  if (!body.ok) return refuseBody(services, body)
  const verification = await verifyBody(services, envelope, body.bytes).catch((error: unknown) => ({ ok: null, error }))
  if (verification.ok === null) return nonceStoreFailed(services, verification.error)
  if (verification.ok) return answerCall(services, request.signal, body.bytes)
  tellOfRefusal(services, verification.refusal)
  return refusal(verification.refusal)
}

function refuseBody(services: Services, body: BodyReading & { ok: false }): Response {
  if (body.refusal === 'body_too_large') return json(413, { error: body.refusal })
  const answer = rawBodyRequired(body.problem)
  if (body.problem !== 'cut') services.tellOwner(answer.error, answer.message)
  return json(RECEIVER_REFUSALS[answer.error], answer)
}

// A store that cannot tell refuses: answering without it would allow replays.
function nonceStoreFailed({ report }: Services, error: unknown): Response {
  report(error)
  const isFull = error instanceof NonceStoreFullError
  return json(503, { error: isFull ? 'nonce_store_full' : 'nonce_store_unavailable' })
}

// The owner’s logger must not be able to break an answer.
function reporter(onError: HandlerOptions['onError']): CallServices['report'] {
  return (error, call) => {
    // One argument where there is no call: console.error would print the second one as “undefined”.
    if (onError) new Promise((resolve) => resolve(call ? onError(error, call) : onError(error))).catch(() => undefined)
  }
}

const OTHER_SECRET_ADVICE =
  'the secret here is not the one that it is signed with. If svc doctor has just run, all is well: it sends such calls on purpose'
const EARLY_CALL_ADVICE =
  'by this machine’s clock it was signed more than five seconds before the nonce store in memory was made, and may have been ' +
  'answered before a restart. Make the handler when the server starts; where processes come and go, pass a nonceStore that they share'

// What a wrong set-up looks like from here; the caller learns no more than the code.
function tellOfRefusal({ tellOwner }: Services, code: ReceiverRefusal): void {
  if (code === 'signature_mismatch') tellOwner(code, OTHER_SECRET_ADVICE)
  if (code === 'nonce_store_cold') tellOwner(code, EARLY_CALL_ADVICE)
}
