import { randomBytes } from 'node:crypto'
import type { Keyring } from '../secrets/keyring.ts'
import { Secret } from '../secrets/secret.ts'

const PREFIX = 'svc_ss_'
const FORM = /^svc_ss_([A-Za-z0-9]{32})_([0-9a-f]{64})$/

/** True for text with a session token's prefix, valid or not. */
export function looksLikeSession(presented: string): boolean {
  return presented.startsWith(PREFIX)
}

/** The handle of a new session: 128 random bits. */
export function mintHandle(): string {
  return randomBytes(16).toString('hex')
}

/** The token of a session: its handle, signed under the master key. The store keeps the handle alone, which opens nothing. */
export function signSession(keyring: Keyring, handle: string): Secret {
  return new Secret(`${PREFIX}${handle}_${keyring.hash(signedText(handle))}`)
}

/** The handle of a token that was signed under any key of the ring; null for everything else, without a look-up. */
export function handleOf(keyring: Keyring, presented: string): string | null {
  const [, handle, signature] = FORM.exec(presented) ?? []
  if (handle === undefined || signature === undefined) return null
  return keyring.isHashOf(signedText(handle), signature) ? handle : null
}

function signedText(handle: string): string {
  return `session:${handle}`
}
