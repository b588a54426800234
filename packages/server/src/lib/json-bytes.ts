/** A JSON value's size as text, in bytes of UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value ?? null))
}
