/** How deep lists and objects stand in each other, and how many values there are, as a control plane counts them. */
export type JsonExtent = { readonly depth: number; readonly values: number }

export function jsonExtent(value: unknown): JsonExtent {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 }
  const members = Object.values(value).map(jsonExtent)
  return {
    depth: 1 + members.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
    values: 1 + members.reduce((sum, { values }) => sum + values, 0),
  }
}

/** Its size in bytes as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
