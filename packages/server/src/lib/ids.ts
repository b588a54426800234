import { randomInt } from 'node:crypto'
import { ID_PREFIXES, type IdKind } from '@svc/contract'
import type { Clock } from './clock.ts'
import { random40Bits } from './random.ts'

export type NewId = (kind: IdKind) => string

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Every two digits, which are ten bits, in their order. */
const PAIRS = [...CROCKFORD].flatMap((first) => [...CROCKFORD].map((second) => first + second))
const HALF = 2 ** 40

/**
 * Mints sortable ids: 48 bits of time and 80 of chance, as a ULID. Within one millisecond the random part counts up
 * from where it was, so that ids of one process sort in the order of their making.
 */
export function createIds(clock: Clock): NewId {
  let lastTime = -1
  let timeDigits = ''
  // The random part in two halves, since a number holds 53 bits.
  let high = 0
  let low = 0
  return (kind) => {
    const time = Math.max(clock.now(), lastTime)
    if (time === lastTime) {
      low = (low + 1) % HALF
      if (low === 0) high = (high + 1) % HALF
    } else {
      high = random40Bits()
      low = random40Bits()
      timeDigits = base32(time, 10)
      lastTime = time
    }
    return ID_PREFIXES[kind] + timeDigits + base32(high, 8) + base32(low, 8)
  }
}

/** A runtime's id where the owner chose none. */
export function mintRuntimeId(): string {
  return `rt_${Array.from({ length: 20 }, () => BASE58.charAt(randomInt(BASE58.length))).join('')}`
}

// An even number of digits, most significant first.
function base32(value: number, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest = Math.floor(rest / PAIRS.length)) {
    text = PAIRS[rest % PAIRS.length] + text
  }
  return text
}
