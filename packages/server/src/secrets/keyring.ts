import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { Secret } from './secret.ts'

/** The row that a sealed value belongs to. It does not open in another one. */
export interface SealContext {
  table: string
  column: string
  rowId: string
}

/** The contexts of one column, by row. */
export function sealedIn(table: string, column: string) {
  return (rowId: string): SealContext => ({ table, column, rowId })
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

export type Keyring = ReturnType<typeof createKeyring>

/** A ring of 32-byte master keys: the first one hashes keys for look-up and seals secrets, every one finds and opens. */
export function createKeyring(masterKeys: readonly [Buffer, ...Buffer[]]) {
  const [first, ...rest] = masterKeys
  const current = derive(first)
  const ring = [current, ...rest.map(derive)]
  const keyOf = (sealed: string) => ring.find(({ id }) => id === sealed.split('.', 2)[1])
  return {
    /** The look-up hash of a key, under the first master key. */
    hash: (key: string): string => hashUnder(current, key),
    /** The hashes under every master key, which find keys that were hashed before a rotation. */
    hashes: (key: string): string[] => ring.map((master) => hashUnder(master, key)),
    /** Whether `given` is the hash of this text under any master key. Compares in constant time. */
    isHashOf: (text: string, given: string): boolean => ring.some((master) => isEqual(hashUnder(master, text), given)),
    seal: (secret: Secret, context: SealContext): string => sealUnder(current, secret, context),
    /** Whether the ring has the key that a value was sealed under. */
    hasKeyOf: (sealed: string): boolean => keyOf(sealed) !== undefined,
    isUnderFirst: (sealed: string): boolean => keyOf(sealed) === current,
    /** Throws {@link SealError} where the value was altered or moved, or its key is not in the ring. */
    open(sealed: string, context: SealContext): Secret {
      const [format, , ...parts] = sealed.split('.')
      const master = keyOf(sealed)
      if (format !== FORMAT || !master)
        throw new SealError('A stored secret needs a master key that is not in SVC_MASTER_KEY.')
      return openUnder(master, parts, context)
    },
  }
}

function derive(master: Buffer): MasterKey {
  const id = hash('sha256', expand(master, 'id')).slice(0, 8)
  return { id, pepper: expand(master, 'key-hash'), cipherKey: expand(master, 'seal') }
}

function expand(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `svc/${FORMAT}/${purpose}`, 32))
}

function hashUnder(master: MasterKey, key: string): string {
  return createHmac('sha256', master.pepper).update(key).digest('hex')
}

function isEqual(own: string, given: string): boolean {
  const [a, b] = [Buffer.from(own), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function sealUnder(master: MasterKey, secret: Secret, context: SealContext): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', master.cipherKey, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(authenticated(context))
  const text = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()])
  const parts = [iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'))
  return [FORMAT, master.id, ...parts].join('.')
}

function openUnder(master: MasterKey, parts: readonly string[], context: SealContext): Secret {
  const [iv, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (!iv || !text || !tag || parts.length > 3) throw new SealError('A stored secret is not in the expected format.')
  try {
    const decipher = createDecipheriv('aes-256-gcm', master.cipherKey, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(authenticated(context))
    decipher.setAuthTag(tag)
    return new Secret(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'))
  } catch (cause) {
    throw new SealError('A stored secret does not open: it was altered or belongs to another row.', { cause })
  }
}

function authenticated({ table, column, rowId }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, table, column, rowId]))
}
