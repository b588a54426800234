/** A JSON document as it is written into a file. */
export function toDocument(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
