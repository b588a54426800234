import { isJsonObject } from '@svc/contract'
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
  if (!isJsonObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}
