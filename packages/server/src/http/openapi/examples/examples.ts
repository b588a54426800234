import { type ZodType, z } from 'zod'
import { componentNameOf } from '../schema-book.ts'
import type { Example } from '../types.ts'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { EXECUTION_EXAMPLES } from './executions.ts'
import { RUNTIME_EXAMPLES } from './runtimes.ts'

const EXAMPLES = new Map<string, unknown>(
  Object.entries({ ...RUNTIME_EXAMPLES, ...EXECUTION_EXAMPLES, ...ACCOUNT_EXAMPLES }),
)

/** The examples of a body: its component’s, one of each alternative, or those that its own `examples` note gives. */
export function examplesOf(schema: ZodType): Record<string, Example> {
  const name = componentNameOf(schema)
  if (name !== null && EXAMPLES.has(name)) return { [camelCase(name)]: { value: EXAMPLES.get(name) } }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.filter((option) => option instanceof z.ZodType)
    return Object.assign({}, ...options.map(examplesOf))
  }
  const noted = z.globalRegistry.get(schema)?.['examples']
  if (!Array.isArray(noted)) return {}
  return Object.fromEntries(noted.map((value, index) => [`example${index + 1}`, { value }]))
}

function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}
