import { randomFillSync, randomInt } from 'node:crypto'

// A system call for sixteen bytes costs as much as one for thousands.
const POOL_BYTES = 4096
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Random bytes as text. They stay in memory for a while: use them for public values, never for keys. */
export function randomText(bytes: number, encoding: 'hex' | 'base64url'): string {
  const start = take(bytes)
  return pool.toString(encoding, start, start + bytes)
}

/** An integer of 40 random bits; see {@link randomText}. */
export function random40Bits(): number {
  return pool.readUIntBE(take(5), 5)
}

/** Characters of an alphabet, from unpooled random numbers: fit for keys. */
export function randomCharacters(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}

/** The offset of unused bytes in the pool. */
function take(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return used - bytes
}
