import { randomBytes, randomInt } from 'node:crypto'
import { ID_PREFIXES, type IdKind } from '@svc/contract'
import type { Clock } from './clock.ts'

export type NewId = (kind: IdKind) => string

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const RANDOM_BITS = 80n
const RANDOM_MASK = (1n << RANDOM_BITS) - 1n

/**
 * Mints sortable ids: 48 bits of time and 80 of chance, as a ULID. Within one millisecond the random part counts up
 * from where it was, so that ids of one process sort in the order of their making.
 */
export function createIds(clock: Clock): NewId {
  let lastTime = -1
  let entropy = 0n
  return (kind) => {
    const time = Math.max(clock.now(), lastTime)
    entropy = time === lastTime ? (entropy + 1n) & RANDOM_MASK : BigInt(`0x${randomBytes(10).toString('hex')}`)
    lastTime = time
    return ID_PREFIXES[kind] + base32((BigInt(time) << RANDOM_BITS) | entropy)
  }
}

/** A runtime's id where the owner chose none. */
export function mintRuntimeId(): string {
  return `rt_${Array.from({ length: 20 }, () => BASE58.charAt(randomInt(BASE58.length))).join('')}`
}

function base32(value: bigint): string {
  let digits = ''
  for (let rest = value, place = 0; place < 26; place += 1, rest >>= 5n) {
    digits = CROCKFORD.charAt(Number(rest & 31n)) + digits
  }
  return digits
}
