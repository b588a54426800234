import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { Secret } from './secret.ts'

/** What a sealed value belongs to. A ciphertext that is moved to another row does not open. */
export interface SealContext {
  table: string
  column: string
  rowId: string
}

/** The master keys at work: hashing keys for look-up, sealing secrets for storage. */
export interface Keyring {
  /** The look-up hash of a key, under the first master key. */
  hash(key: string): string
  /** The hashes under every master key of the ring, so that keys hashed before a rotation are still found. */
  hashes(key: string): string[]
  /** Whether somebody gave the hash of this text, under any master key of the ring. Compared in constant time. */
  isHashOf(text: string, given: string): boolean
  /** A secret of its own for one purpose, under the first master key: 256 bits, base64url. */
  derive(purpose: string): Secret
  seal(secret: Secret, context: SealContext): string
  /** Whether this was sealed under a key of the ring, as it says itself; and under the first one. */
  hasKeyOf(sealed: string): boolean
  isUnderFirst(sealed: string): boolean
  /** Throws {@link SealError} when the value was altered, moved, or sealed under a key that is not in the ring. */
  open(sealed: string, context: SealContext): Secret
}

export class SealError extends Error {
  override name = 'SealError'
}

interface MasterKey {
  id: string
  pepper: Buffer
  cipherKey: Buffer
}

const FORMAT = 'v1'
const TAG_BYTES = 16
const IV_BYTES = 12

/** A ring of 32-byte master keys: the first one hashes and seals, every one finds and opens. */
export function createKeyring(masterKeys: readonly [Buffer, ...Buffer[]]): Keyring {
  const [first, ...rest] = masterKeys
  const current = derive(first)
  const ring = [current, ...rest.map(derive)]
  const byId = new Map(ring.map((key) => [key.id, key]))
  return {
    hash: (key) => hashUnder(current, key),
    hashes: (key) => ring.map((master) => hashUnder(master, key)),
    isHashOf: (text, given) => ring.some((master) => isSame(hashUnder(master, text), given)),
    derive: (purpose) => new Secret(expand(first, `derived/${purpose}`).toString('base64url')),
    seal: (secret, context) => sealUnder(current, secret, context),
    hasKeyOf: (sealed) => byId.has(keyIdIn(sealed)),
    isUnderFirst: (sealed) => keyIdIn(sealed) === current.id,
    open(sealed, context) {
      const [format, , ...parts] = sealed.split('.')
      const master = byId.get(keyIdIn(sealed))
      if (format !== FORMAT || !master)
        throw new SealError('A stored secret needs a master key that is not in SVC_MASTER_KEY.')
      return openUnder(master, parts, context)
    },
  }
}

function keyIdIn(sealed: string): string {
  return sealed.split('.', 2)[1] ?? ''
}

function derive(master: Buffer): MasterKey {
  const id = createHash('sha256').update(expand(master, 'id')).digest('hex').slice(0, 8)
  return { id, pepper: expand(master, 'key-hash'), cipherKey: expand(master, 'seal') }
}

function expand(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `svc/${FORMAT}/${purpose}`, 32))
}

function hashUnder(master: MasterKey, key: string): string {
  return createHmac('sha256', master.pepper).update(key).digest('hex')
}

function isSame(own: string, given: string): boolean {
  const [a, b] = [Buffer.from(own), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function sealUnder(master: MasterKey, secret: Secret, context: SealContext): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', master.cipherKey, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(context))
  const text = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()])
  const parts = [iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'))
  return [FORMAT, master.id, ...parts].join('.')
}

function openUnder(master: MasterKey, parts: readonly string[], context: SealContext): Secret {
  const [iv, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (!iv || !text || !tag || parts.length > 3) throw new SealError('A stored secret is not in the expected format.')
  try {
    const decipher = createDecipheriv('aes-256-gcm', master.cipherKey, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(boundTo(context))
    decipher.setAuthTag(tag)
    return new Secret(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'))
  } catch (cause) {
    throw new SealError('A stored secret does not open: it was altered or belongs to another row.', { cause })
  }
}

function boundTo(context: SealContext): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, context.table, context.column, context.rowId]))
}
