import type { FuncKeywordDefinition } from 'ajv'

/**
 * The keyword `uniqueItems` in time linear in the size of the array. Ajv's own compares every pair of objects, which lets
 * one request of a megabyte hold the process for minutes.
 */
export const linearUniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: (isAsked: boolean, items: readonly unknown[]) => !isAsked || areUnique(items),
  error: { message: 'must not hold the same item twice' },
}

function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<string>()
  return items.every((item) => seen.size < seen.add(canonical(item)).size)
}

// JSON Schema compares objects whatever the order of their members.
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
  return `{${members.sort().join()}}`
}
