// Types alone: what the contract loads would take most of a thread's start.
import type { FieldErrors, JsonObject } from '@svc/contract'
import { Lru } from '../lru.ts'
import { compileDeployed, compileSchema, type SchemaCheck } from './compile.ts'

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
// Characters of schemas. What is compiled of them takes some fifty times that.
const COMPILED_CHARACTERS = 1024 * 1024

/** Does jobs one after the other, and remembers what it compiled last. */
export function createSchemaJobs(now = () => performance.now()): (job: SchemaJob) => Iterable<SchemaPart> {
  // By owner and schema: how often one owner's schema is used keeps no other owner's compiled.
  const compiled = new Lru<string, { check: SchemaCheck; size: number }>(COMPILED_CHARACTERS, ({ size }) => size)

  function* judge(schemas: readonly string[]) {
    const endsAt = now() + JUDGE_MS
    for (const schema of schemas) {
      const judged = now() > endsAt ? { ok: false as const, problem: NOT_REACHED } : compileSchema(JSON.parse(schema))
      yield judged.ok ? null : judged.problem
    }
  }

  function checkOf(ownerId: string, text: string): SchemaCheck {
    const key = `${ownerId} ${text}`
    const known = compiled.get(key)
    if (known) return known.check
    const schema: JsonObject = JSON.parse(text)
    const check = compileDeployed(schema)
    compiled.set(key, { check, size: text.length })
    return check
  }

  return function* (job) {
    if (job.kind === 'judge') return yield* judge(job.schemas)
    const check = checkOf(job.ownerId, job.schema)
    yield null
    yield check(JSON.parse(job.input), job.root)
  }
}
