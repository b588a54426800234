import {
  bodyDigest,
  type CallMode,
  computeSignature,
  type EndUser,
  type JsonObject,
  SIGNATURE_HEADERS,
} from '@svc/contract'
import type { Clock } from '../clock.ts'
import { randomText } from './random-text.ts'

/** The runtime, the secret and the time of a signature. */
export interface Signer {
  readonly runtimeId: string
  readonly secret: string
  /** Whose time the signature carries. Default: the system’s. Give it the handler’s, where that has one. */
  readonly clock?: Clock | undefined
  /** Default: 128 random bits, new for each signature. */
  readonly nonce?: string | undefined
}

/** What a call carries besides the capability and its input. */
export interface CallFields {
  /** Default `{}`. */
  readonly metadata?: JsonObject | undefined
  /** What the owner’s own log-in would have issued. Default: nobody is signed in. */
  readonly endUserToken?: string | undefined
  /** Who signed in at the issuer of `endUsers`. Default: nobody. */
  readonly endUser?: EndUser | undefined
  /** Default `exec_test`. */
  readonly executionId?: string | undefined
  /** Default `call_test`. */
  readonly callId?: string | undefined
  /** `preview` or `reconcile`: the capability does not run. Default: it does. */
  readonly mode?: CallMode | undefined
  /** The approval that a person gave, `apr_…`. Default: nobody was asked. */
  readonly approvalId?: string | undefined
  /** Of the preview that was approved; see `previewHash` of `@svc/contract`. */
  readonly previewHash?: string | undefined
}

export interface SignCallOptions extends Signer, CallFields {
  readonly capability: string
  /** Default `{}`. */
  readonly input?: unknown
}

/** A signed call in parts, for test tools that take headers and a body: it is a `POST`. */
export interface SignedCall {
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * Signs a call as the control plane does, for tools such as Fastify’s `inject()`. See {@link signRequest} for a `Request`.
 * @example
 * const { headers, body } = await signCall({ runtimeId, secret, capability: 'order-status', input: { id: 7 } })
 * await app.inject({ method: 'POST', url: '/svc', headers, payload: body })
 */
export async function signCall(options: SignCallOptions): Promise<SignedCall> {
  return signBody(options, callBody(options))
}

export interface SignRequestOptions extends SignCallOptions {
  /** Default `http://localhost/svc`. */
  readonly url?: string | URL | undefined
  /** Aborting it is the caller leaving before the answer. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Signs a call as the control plane does. A `Request` can be sent once: `clone()` it to send it again.
 * @example
 * const response = await handler(await signRequest({ runtimeId, secret, capability: 'order-status', input: { id: 7 } }))
 */
export async function signRequest(options: SignRequestOptions): Promise<Request> {
  const { url = 'http://localhost/svc', signal } = options
  return toRequest(await signCall(options), { url, signal })
}

/** The exact text of a call’s body. */
export function callBody(call: Pick<SignCallOptions, 'capability' | 'input' | keyof CallFields>): string {
  const { capability, input = {}, metadata = {}, executionId = 'exec_test', callId = 'call_test', endUserToken } = call
  const { endUser, mode, approvalId, previewHash } = call
  const optional = { ...(endUserToken && { endUserToken }), endUser, mode, approvalId, previewHash }
  return JSON.stringify({ executionId, callId, capability, input, metadata, ...optional })
}

/** Signs a body under a new nonce, unless the signer has one. */
export async function signBody(signer: Signer, body: string): Promise<SignedCall> {
  const { runtimeId, secret, clock = Date, nonce = randomText(16) } = signer
  const timestamp = String(Math.trunc(clock.now()))
  const digest = await bodyDigest(new TextEncoder().encode(body))
  const signature = await computeSignature(secret, { runtimeId, timestamp, nonce, bodyDigest: digest })
  const headers = {
    'content-type': 'application/json',
    [SIGNATURE_HEADERS.runtimeId]: runtimeId,
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.nonce]: nonce,
    [SIGNATURE_HEADERS.signature]: signature,
  }
  return { headers, body }
}

/** A signed call as a web-standard request. */
export function toRequest(
  { headers, body }: SignedCall,
  { url, signal }: { url: string | URL; signal?: AbortSignal | undefined },
): Request {
  return new Request(url, { method: 'POST', headers, body, signal: signal ?? null })
}
