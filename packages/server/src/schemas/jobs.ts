// Types alone: what the contract loads would take most of a thread's start.
import type { FieldErrors } from '@svc/contract'
import { compileSchema } from './compile.ts'
import { createCompiledSchemas } from './compiled.ts'

/** Work for a thread. It is answered in parts, so that a thread that is stopped has answered what it finished. */
export type SchemaJob = JudgeJob | CheckJob

/** Two parts: what is wrong with the schema, or null; and the milliseconds that it took. Schemas and inputs are JSON. */
interface JudgeJob {
  kind: 'judge'
  schema: string
}

/** Two parts: null once the schema is compiled, then the faults of the input, or null. */
export interface CheckJob {
  kind: 'check'
  ownerId: string
  schema: string
  input: string
  root: string
}

export type SchemaPart = string | number | FieldErrors | null

/** Does jobs one after the other, and remembers what it compiled last. */
export function createSchemaJobs(now = () => performance.now()): (job: SchemaJob) => Iterable<SchemaPart> {
  const compiled = createCompiledSchemas()
  return function* (job) {
    if (job.kind === 'judge') {
      const startedAt = now()
      const judged = compileSchema(JSON.parse(job.schema))
      yield judged.ok ? null : judged.problem
      return yield now() - startedAt
    }
    const check = compiled(job.ownerId, job.schema)
    yield null
    yield check(JSON.parse(job.input), job.root)
  }
}
