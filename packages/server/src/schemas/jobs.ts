import type { FieldErrors } from '@svc/contract'
import { schemaProblem } from './compile.ts'
import { createCompiledSchemas } from './compiled.ts'

/** Work for the thread: to judge a schema, or to check an input against it. Both are JSON. */
export interface SchemaJob {
  ownerId: string
  schema: string
  input?: string
  root?: string
}

/** Does jobs in parts: the problem of the schema, or null; then, where there is an input, its faults, or null. */
export function createSchemaJobs(): (job: SchemaJob) => Iterable<string | FieldErrors | null> {
  const compiled = createCompiledSchemas()
  return function* ({ ownerId, schema, input, root = 'input' }) {
    if (input === undefined) return yield schemaProblem(JSON.parse(schema))
    const check = compiled(ownerId, schema)
    yield null
    yield check(JSON.parse(input), root)
  }
}
