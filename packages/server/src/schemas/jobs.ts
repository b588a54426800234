import type { FieldErrors } from '@svc/contract'
import { schemaProblem } from './compile.ts'
import { createCompiledSchemas } from './compiled.ts'

/** A job of the thread: validates a schema, or checks an input against it. Both are JSON. */
export interface SchemaJob {
  ownerId: string
  schema: string
  input?: string
  root?: string
}

/** Answers in parts: the problem of the schema, or null; then the errors of the input, or null. */
export function createSchemaJobs(): (job: SchemaJob) => Iterable<string | FieldErrors | null> {
  const compiled = createCompiledSchemas()
  return function* ({ ownerId, schema, input, root = 'input' }) {
    if (input === undefined) return yield schemaProblem(JSON.parse(schema))
    const check = compiled(ownerId, schema)
    yield null
    yield check(JSON.parse(input), root)
  }
}
