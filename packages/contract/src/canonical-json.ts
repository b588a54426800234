import * as z from 'zod'
import { isJsonObject } from './json.ts'
import { bodyDigest } from './signing.ts'

/** A SHA-256 hash as it travels. */
export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits.')

/**
 * JSON text in the form of RFC 8785 (JCS): equal values have one text, whatever the order of their keys. Members that are
 * undefined are left out. Throws a `TypeError` for what the form cannot hold, such as a lone surrogate or an infinite number.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (isJsonObject(value)) return `{${membersOf(value).join(',')}}`
  if (typeof value === 'string' && isWellFormed(value)) return JSON.stringify(value)
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value)
  throw new TypeError('RFC 8785 has no form for this value: it takes null, booleans, finite numbers and whole texts.')
}

/** SHA-256 of {@link canonicalJson} in lower-case hex. Rejects where that throws. */
export async function canonicalDigest(value: unknown): Promise<string> {
  return bodyDigest(new TextEncoder().encode(canonicalJson(value)))
}

/** False for a text with a surrogate that has no partner: it has no UTF-8. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

// Sorted by UTF-16 code units, as RFC 8785 asks. An object would put keys such as "9" and "10" into the order of numbers.
function membersOf(value: object): string[] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`)
}
