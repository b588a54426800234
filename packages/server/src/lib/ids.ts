import { ID_PREFIXES, type IdKind } from '@svc/contract'
import type { Clock } from './clock.ts'
import { random40Bits, randomCharacters } from './random.ts'

export type NewId = (kind: IdKind) => string

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Each pair of digits, which holds ten bits. */
const PAIRS = [...CROCKFORD].flatMap((first) => [...CROCKFORD].map((second) => first + second))
const HALF = 2 ** 40

/**
 * Creates sortable ids as ULIDs do: 48 bits of time and 80 random bits, which count up within one millisecond, so that the
 * ids of one process sort by creation.
 */
export function createIds(clock: Clock): NewId {
  let lastTime = -1
  let timeDigits = ''
  // The random part in two halves, because a number holds 53 bits.
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

/** The id of a runtime for which the owner chose none. */
export function mintRuntimeId(): string {
  return `rt_${randomCharacters(BASE58, 20)}`
}

// An even number of digits, most significant first.
function base32(value: number, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest = Math.floor(rest / PAIRS.length)) {
    text = PAIRS[rest % PAIRS.length] + text
  }
  return text
}
