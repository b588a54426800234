import { PROBE_CAPABILITY, SIGNATURE_HEADERS, type SigningParts } from '@svc/contract'
import type { Clock } from '../../lib/clock.ts'
import { EMPTY_OBJECT } from '../../lib/json-document.ts'
import type { Secret } from '../../secrets/secret.ts'
import { compose } from '../compose.ts'
import { digestOf, signatureOf } from '../sign.ts'

/** A request as it is sent; names and values of headers alternate. */
export interface ProbeRequest {
  headers: readonly string[]
  body: Buffer
}

export type SignatureHeader = keyof typeof SIGNATURE_HEADERS

/** What of a genuine call is made otherwise. */
export interface CallChanges {
  secret?: Secret
  runtimeId?: string
  /** Added to the time of signing. */
  offsetMs?: number
  timestamp?(milliseconds: string): string
  /** The body, signed as it is then. */
  body?(genuine: string): string
  /** The body that is sent in place of the signed one. */
  sent?(signed: string): string
  /** Left out, and signed as the empty text. */
  without?: SignatureHeader
  sign?(secret: Secret, parts: SigningParts, body: string): string
  signature?(right: string): string
  headerName?(name: string): string
}

export interface CallMakerOptions {
  runtimeId: string
  secret: Secret
  clock: Clock
  nonce(): string
  /** New for each call: a cache of answers by call would hide what the endpoint does. */
  ids(): { executionId: string; callId: string }
}

export type MakeCall = (changes?: CallChanges) => ProbeRequest

/** Makes calls of the reserved capability, which has no effect even where a false one is accepted. */
export function createCallMaker(options: CallMakerOptions): MakeCall {
  return (changes = {}) => {
    const call = { capability: PROBE_CAPABILITY, input: EMPTY_OBJECT, metadata: EMPTY_OBJECT, endUserToken: undefined }
    const message = compose({ ...options.ids(), ...call })
    const genuine = message.body.toString()
    const signed = changes.body?.(genuine) ?? genuine
    const sent = changes.sent?.(signed) ?? signed
    return { headers: [...signatureHeaders(options, changes, signed), ...message.headers], body: Buffer.from(sent) }
  }
}

function signatureHeaders(options: CallMakerOptions, changes: CallChanges, body: string): string[] {
  const { without, secret = options.secret, headerName = (name: string) => name } = changes
  const milliseconds = String(Math.trunc(options.clock.now() + (changes.offsetMs ?? 0)))
  const parts: SigningParts = {
    runtimeId: changes.runtimeId ?? options.runtimeId,
    timestamp: changes.timestamp?.(milliseconds) ?? milliseconds,
    nonce: options.nonce(),
    bodyDigest: digestOf(Buffer.from(body)),
    ...(without && without !== 'signature' && { [without]: '' }),
  }
  const right = changes.sign?.(secret, parts, body) ?? signatureOf(secret, parts)
  const values = { ...parts, signature: changes.signature?.(right) ?? right }
  const present = Object.entries(SIGNATURE_HEADERS).filter(([part]) => part !== without)
  return present.flatMap(([part, name]) => [headerName(name), values[part as SignatureHeader]])
}
