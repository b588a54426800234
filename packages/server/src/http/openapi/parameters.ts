import { isJsonObject } from '@svc/contract'
import type { Operation } from './operations.ts'
import { zodPart } from './operations.ts'
import type { SchemaBook } from './schema-book.ts'
import type { JsonSchema, Parameter } from './types.ts'

/** What a parameter of this name is, on every route that takes it. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  runtimeId: 'The id of a runtime, `rt_…`.',
  version: 'The number of a deployment; the first is 1.',
  executionId: 'The id of an execution, `exec_…`.',
  projectId: 'The id of a project, `proj_…`.',
  checkoutId: 'The id of a checkout, `chk_…`.',
  keyId: 'The id of an account’s key, `key_…`.',
  capability: 'The name of a capability, without its namespace.',
  limit: 'How many entries a page has at most.',
  cursor: 'The `nextCursor` of the page before. Leave it out for the first page.',
  status: 'Only those of this status.',
  from: 'From this moment on: an ISO 8601 date or date-time, or milliseconds since the epoch.',
  to: 'Up to this moment, which is not included: an ISO 8601 date or date-time, or milliseconds since the epoch.',
  bucket: 'How finely the time is cut, in UTC.',
}

/** The parameters of an operation’s path and query. */
export function parametersOf({ schema }: Operation, book: SchemaBook): Parameter[] {
  return [
    ...parametersIn('path', zodPart(schema.params), book),
    ...parametersIn('query', zodPart(schema.querystring), book),
  ]
}

function parametersIn(place: Parameter['in'], schema: ReturnType<typeof zodPart>, book: SchemaBook): Parameter[] {
  if (!schema) return []
  const { properties, required } = book.describe({ schema, direction: 'input' })
  if (!isJsonObject(properties)) return []
  const isRequired = (name: string) => place === 'path' || (Array.isArray(required) && required.includes(name))
  return Object.entries(properties).map(([name, described]) => {
    const { description, ...rest }: JsonSchema = isJsonObject(described) ? described : {}
    return {
      name,
      in: place,
      required: isRequired(name),
      description: typeof description === 'string' ? description : (DESCRIPTIONS[name] ?? ''),
      schema: rest,
    }
  })
}
