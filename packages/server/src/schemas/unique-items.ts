import type { FuncKeywordDefinition } from 'ajv'

/** `uniqueItems` in linear time. Ajv's own compares every pair of objects. */
export const linearUniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: (isAsked: boolean, items: readonly unknown[]) =>
    !isAsked || new Set(items.map(canonical)).size === items.length,
  error: { message: 'must not hold the same item twice' },
}

// The order of members does not matter.
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
  return `{${members.sort().join()}}`
}
