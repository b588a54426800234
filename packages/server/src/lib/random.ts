import { randomFillSync } from 'node:crypto'

// A draw from the system costs as much for sixteen bytes as for thousands.
const POOL_BYTES = 4096
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** So many random bytes as text. They lie in memory for a while: for what is told to others, and not for keys. */
export function randomText(bytes: number, encoding: 'hex' | 'base64url'): string {
  const start = take(bytes)
  return pool.toString(encoding, start, start + bytes)
}

/** A whole number of 40 random bits; see {@link randomText}. */
export function random40Bits(): number {
  return pool.readUIntBE(take(5), 5)
}

// Where in the pool bytes lie that nobody has had.
function take(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return used - bytes
}
