import { randomBytes } from 'node:crypto'
import { KEY_PREFIXES, type KeyKind, keyChecksum } from '@svc/contract'
import { randomCharacters } from '../lib/random.ts'
import { Secret } from './secret.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A key: prefix, 32 random base62 characters (190 bits), checksum. */
export function mintKey(kind: KeyKind): Secret {
  const body = KEY_PREFIXES[kind] + randomCharacters(BASE62, 32)
  return new Secret(body + keyChecksum(body))
}

/** A signing secret: 32 random bytes, base64url. */
export function mintSigningSecret(): Secret {
  return new Secret(randomBytes(32).toString('base64url'))
}
