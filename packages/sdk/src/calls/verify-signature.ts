import {
  bodyDigest,
  createSigner,
  type ReceiverRefusal,
  SIGNATURE_HEADERS,
  type SigningParts,
  type SignParts,
  TIMESTAMP_TOLERANCE_MS,
} from '@svc/contract'
import type { Clock } from '../clock.ts'
import { COLD_START_MS, NONCE_LIFETIME_MS, type NonceStore } from '../nonces/nonce-store.ts'

/** Whom a receiver answers. */
export interface Receiver {
  /** The id that registration gave, `rt_…`. */
  readonly runtimeId: string
  /** The runtime’s signing secret; during a rotation the new one and the old one. */
  readonly secret: string | readonly string[]
  readonly nonceStore: NonceStore
  readonly clock?: Clock | undefined
}

/** A call as it arrived: any `Headers`, and the body’s bytes before anything parsed them. */
export interface SignedRequest {
  readonly headers: { get(name: string): string | null }
  readonly body: Uint8Array
}

/** The verdict on a call; `timestamp` is when it was signed, in milliseconds. */
export type Verification =
  | { readonly ok: true; readonly timestamp: number; readonly nonce: string }
  | { readonly ok: false; readonly refusal: ReceiverRefusal }

/**
 * Tells whether a request is a call from the control plane to this runtime, and claims its nonce if it is: a second
 * verification of the same request answers `nonce_replayed`. Rejects where the nonce store does, or a secret is empty.
 * `createHandler` does this by itself; this is for a server that answers calls in its own way.
 * @example
 * const verdict = await verifySignature({ runtimeId, secret, nonceStore }, { headers: request.headers, body })
 * if (!verdict.ok) return Response.json({ error: verdict.refusal }, { status: 401 })
 */
export async function verifySignature(receiver: Receiver, request: SignedRequest): Promise<Verification> {
  const envelope = readEnvelope(receiver, request.headers)
  if (!envelope.ok) return envelope
  return verifyBody({ ...receiver, signers: signersOf(receiver.secret) }, envelope, request.body)
}

/** A receiver whose secrets are made into keys: once for a handler, since that costs as much as signing with them. */
export interface KeyedReceiver extends Pick<Receiver, 'runtimeId' | 'nonceStore' | 'clock'> {
  readonly signers: readonly SignParts[]
}

export function signersOf(secret: Receiver['secret']): readonly SignParts[] {
  return [secret].flat().map(createSigner)
}

/** What the headers claim, after every check that needs no body. */
export interface Envelope {
  readonly ok: true
  readonly timestamp: string
  readonly nonce: string
  readonly signature: string
}

/** The cheap checks: a request that fails them has no body read and no digest computed. */
export function readEnvelope(
  receiver: Pick<KeyedReceiver, 'runtimeId' | 'clock'>,
  headers: SignedRequest['headers'],
): Envelope | { ok: false; refusal: ReceiverRefusal } {
  const runtimeId = headers.get(SIGNATURE_HEADERS.runtimeId)
  const timestamp = headers.get(SIGNATURE_HEADERS.timestamp)
  const nonce = headers.get(SIGNATURE_HEADERS.nonce)
  const signature = headers.get(SIGNATURE_HEADERS.signature)
  if (!runtimeId || !timestamp || !nonce || !signature) return refuse('missing_headers')
  if (runtimeId !== receiver.runtimeId) return refuse('runtime_mismatch')
  if (!/^\d{13}$/.test(timestamp)) return refuse('timestamp_invalid')
  if (!isTolerated(receiver, timestamp)) return refuse('timestamp_outside_tolerance')
  if (!/^[0-9a-f]{64}$/.test(signature)) return refuse('signature_mismatch')
  return { ok: true, timestamp, nonce, signature }
}

/** The checks over the body’s bytes: the signature, then the nonce. */
export async function verifyBody(receiver: KeyedReceiver, envelope: Envelope, body: Uint8Array): Promise<Verification> {
  const { nonce, timestamp } = envelope
  const digest = await bodyDigest(new Uint8Array(body))
  const parts = { runtimeId: receiver.runtimeId, timestamp, nonce, bodyDigest: digest }
  if (!(await matchesAny(receiver.signers, parts, envelope.signature))) return refuse('signature_mismatch')
  if (isFromBefore(receiver.nonceStore, timestamp)) return refuse('nonce_store_cold')
  // Claimed only now, so that a forger cannot use up nonces.
  const isFirst = await receiver.nonceStore.claim(nonce, Number(timestamp) + NONCE_LIFETIME_MS)
  if (!isFirst) return refuse('nonce_replayed')
  // A store may have taken its time: what nobody waits for any more must not run.
  if (!isTolerated(receiver, timestamp)) return refuse('timestamp_outside_tolerance')
  return { ok: true, timestamp: Number(timestamp), nonce }
}

function isFromBefore({ openedAt }: NonceStore, timestamp: string): boolean {
  return openedAt !== undefined && Number(timestamp) < openedAt - COLD_START_MS
}

// Written so that a clock that returns NaN refuses.
function isTolerated({ clock = Date }: Pick<KeyedReceiver, 'clock'>, timestamp: string): boolean {
  return Math.abs(clock.now() - Number(timestamp)) <= TIMESTAMP_TOLERANCE_MS
}

// Every secret is tried whatever the others gave: the time taken does not tell which one matched.
async function matchesAny(signers: readonly SignParts[], parts: SigningParts, signature: string): Promise<boolean> {
  const expected = await Promise.all(signers.map((sign) => sign(parts)))
  return expected.reduce((matched, each) => equalInConstantTime(each, signature) || matched, false)
}

function equalInConstantTime(expected: string, given: string): boolean {
  let difference = expected.length ^ given.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index)
  }
  return difference === 0
}

function refuse(refusal: ReceiverRefusal): { ok: false; refusal: ReceiverRefusal } {
  return { ok: false, refusal }
}
