import type { AnyCapability } from '../capabilities/define-capability.ts'
import type { Clock } from '../clock.ts'
import { type CallResult, readResult } from './call-result.ts'
import type { CallInput, CallOutput } from './call-types.ts'
import { createRotatingSecret, type SecretRotation } from './rotating-secret.ts'
import { type CallFields, callBody, type SignedCall, signBody, toRequest } from './sign-call.ts'

/** An endpoint to call: its handler, or the address at which it is served. */
export type Endpoint = ((request: Request) => Response | Promise<Response>) | string | URL

export interface FakeControlPlaneOptions {
  readonly runtimeId: string
  readonly secret: string
  /** Default: the system’s. Give it the handler’s, where that has one. */
  readonly clock?: Clock | undefined
  /** What calls an address. Default: the platform’s `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** One request and how it was answered. */
export interface Exchange {
  readonly request: SignedCall
  readonly status: number
  readonly result: CallResult
}

export interface FakeCallOptions extends CallFields {
  /** Aborting it is the caller leaving before the answer. */
  readonly signal?: AbortSignal | undefined
}

/** Calls an endpoint as the control plane does. */
export interface FakeControlPlane {
  /**
   * Calls a capability by its definition: input and output are typed. Each call has a `callId` of its own unless it is
   * given one. A 401 is answered by one more try with the other secret, where a rotation left two.
   */
  call<Capability extends AnyCapability>(
    capability: Capability,
    input: CallInput<Capability>,
    options?: FakeCallOptions,
  ): Promise<CallResult<CallOutput<Capability>>>
  /** Calls a capability by its name, one that the endpoint does not have included; nothing is typed. */
  callByName(name: string, input?: unknown, options?: FakeCallOptions): Promise<CallResult>
  /** Makes a call again as its second try: the same body with its `callId`, signed anew. Default: the last exchange’s. */
  repeat(exchange?: Exchange): Promise<CallResult>
  /** Sends a request again to the byte, as somebody who overheard it would. Default: the last exchange’s. */
  replay(exchange?: Exchange): Promise<CallResult>
  /** Replaces the signing secret and returns the new one; the old one stays in use until the endpoint refuses it. */
  rotateSecret(rotation?: SecretRotation): string
  /** Every request that was answered, in the order of the answers. */
  readonly exchanges: readonly Exchange[]
}

/**
 * Makes a control plane for tests of a whole endpoint: its routes, its secrets, its nonce store. No network for a handler.
 * @example
 * const controlPlane = createFakeControlPlane(handler, { runtimeId: 'rt_shop', secret: 'test-secret' })
 * expect(await controlPlane.call(orderStatus, { orderNumber: 'A-1001' })).toMatchObject({ ok: true })
 * expect(await controlPlane.replay()).toMatchObject({ ok: false, code: 'nonce_replayed' })
 */
export function createFakeControlPlane(endpoint: Endpoint, options: FakeControlPlaneOptions): FakeControlPlane {
  const { runtimeId, clock = Date } = options
  const secrets = createRotatingSecret(options.secret, clock)
  const deliver = deliveryTo(endpoint, options.fetch)
  const exchanges: Exchange[] = []
  let calls = 0

  async function send(request: SignedCall, signal?: AbortSignal): Promise<Exchange> {
    const response = await deliver(request, signal)
    const exchange = { request, status: response.status, result: await readResult(response) }
    exchanges.push(exchange)
    return exchange
  }

  // The one more try is signed anew: under the first nonce it could be taken for a replay.
  async function sendSigned(body: string, signal?: AbortSignal): Promise<CallResult> {
    const [first, other] = secrets.inOrder()
    const answered = await send(await signBody({ runtimeId, secret: first, clock }, body), signal)
    if (answered.status !== 401) secrets.worked(first)
    if (answered.status !== 401 || other === undefined) return answered.result
    const again = await send(await signBody({ runtimeId, secret: other, clock }, body), signal)
    if (again.status !== 401) secrets.worked(other)
    return again.result
  }

  function last(): Exchange {
    const exchange = exchanges.at(-1)
    if (!exchange) throw new Error('Nothing was answered yet that could be sent again: await a call() first.')
    return exchange
  }

  async function call<Capability extends AnyCapability>(
    capability: Capability,
    input: CallInput<Capability>,
    options?: FakeCallOptions,
  ): Promise<CallResult<CallOutput<Capability>>>
  async function call({ name }: AnyCapability, input: unknown, options?: FakeCallOptions) {
    return callByName(name, input, options)
  }

  async function callByName(capability: string, input?: unknown, options: FakeCallOptions = {}): Promise<CallResult> {
    const { signal, ...fields } = options
    calls += 1
    return sendSigned(callBody({ callId: `call_test_${calls}`, ...fields, capability, input }), signal)
  }

  return {
    call,
    callByName,
    repeat: async (exchange = last()) => sendSigned(exchange.request.body),
    replay: async (exchange = last()) => (await send(exchange.request)).result,
    rotateSecret: secrets.rotate,
    exchanges,
  }
}

// Redirects are not followed: what is signed for one address is not for another.
function deliveryTo(endpoint: Endpoint, fetch: typeof globalThis.fetch = globalThis.fetch) {
  return async (request: SignedCall, signal?: AbortSignal): Promise<Response> => {
    if (typeof endpoint === 'function') return endpoint(toRequest(request, { url: 'http://localhost/svc', signal }))
    return fetch(toRequest(request, { url: endpoint, signal }), { redirect: 'manual' })
  }
}
