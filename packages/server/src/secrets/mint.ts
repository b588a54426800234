import { randomBytes, randomInt } from 'node:crypto'
import { KEY_PREFIXES, type KeyKind, keyChecksum } from '@svc/contract'
import { Secret } from './secret.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A key: prefix, 32 random base62 characters (190 bits), checksum. */
export function mintKey(kind: KeyKind): Secret {
  const random = Array.from({ length: 32 }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  const body = KEY_PREFIXES[kind] + random
  return new Secret(body + keyChecksum(body))
}

/** A signing secret: 32 random bytes, base64url. */
export function mintSigningSecret(): Secret {
  return new Secret(randomBytes(32).toString('base64url'))
}
