// Types alone: what the contract loads would take most of a thread's start.
import type { FieldErrors } from '@svc/contract'
import { compileSchema } from './compile.ts'
import { createCompiledSchemas } from './compiled.ts'

/** Work for a thread. It is answered in parts, so that a thread that is stopped has answered what it finished. */
export type SchemaJob = JudgeJob | CheckJob

/** A part for each schema, which is JSON: what is wrong with it, or null. */
interface JudgeJob {
  kind: 'judge'
  schemas: readonly string[]
}

/** Two parts: null once the schema is compiled, then the faults of the input, or null. Schema and input are JSON. */
export interface CheckJob {
  kind: 'check'
  ownerId: string
  schema: string
  input: string
  root: string
}

export type SchemaPart = string | FieldErrors | null

const JUDGE_MS = 4_000
export const NOT_REACHED = 'was not reached: the schemas of this manifest take too long to check. Make them smaller.'

/** Does jobs one after the other, and remembers what it compiled last. */
export function createSchemaJobs(now = () => performance.now()): (job: SchemaJob) => Iterable<SchemaPart> {
  const compiled = createCompiledSchemas()

  function* judge(schemas: readonly string[]) {
    const endsAt = now() + JUDGE_MS
    for (const schema of schemas) {
      const judged = now() > endsAt ? { ok: false as const, problem: NOT_REACHED } : compileSchema(JSON.parse(schema))
      yield judged.ok ? null : judged.problem
    }
  }

  return function* (job) {
    if (job.kind === 'judge') return yield* judge(job.schemas)
    const check = compiled(job.ownerId, job.schema)
    yield null
    yield check(JSON.parse(job.input), job.root)
  }
}
