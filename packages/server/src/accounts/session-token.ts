import { randomInt } from 'node:crypto'
import type { Keyring } from '../secrets/keyring.ts'
import { Secret } from '../secrets/secret.ts'

const PREFIX = 'svc_ss_'
const FORM = /^svc_ss_([A-Za-z0-9]{32})_([0-9a-f]{64})$/
const HANDLE_LENGTH = 32
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** True for what has a session token's prefix, whether or not it opens anything. */
export function looksLikeSession(presented: string): boolean {
  return presented.startsWith(PREFIX)
}

/** The handle of a new session: 190 bits of chance. */
export function mintHandle(): string {
  return Array.from({ length: HANDLE_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
}

/**
 * What an owner holds of a session: its handle, which the store keeps, signed under the master key. Whoever reads the
 * store, or writes to it, can make no token.
 */
export function signSession(keyring: Keyring, handle: string): Secret {
  return new Secret(`${PREFIX}${handle}_${keyring.hash(signedText(handle))}`)
}

/** The handle of a token that we signed, under any key of the ring; null for everything else, without a look-up. */
export function handleOf(keyring: Keyring, presented: string): string | null {
  const [, handle, signature] = FORM.exec(presented) ?? []
  if (handle === undefined || signature === undefined) return null
  return keyring.isHashOf(signedText(handle), signature) ? handle : null
}

function signedText(handle: string): string {
  return `session:${handle}`
}
