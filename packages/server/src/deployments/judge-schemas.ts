import type { JsonObject } from '@svc/contract'
import { compileSchema } from './json-schema.ts'

/** How long the schemas of one manifest may take to judge, all together. */
export const MANIFEST_MS = 2_000

/** What is wrong with each schema, in their order; null where nothing is. Holds the thread for up to {@link MANIFEST_MS}. */
export function judgeSchemas(schemas: readonly JsonObject[]): (string | null)[] {
  const endsAt = performance.now() + MANIFEST_MS
  return schemas.map((schema) => {
    const leftMs = endsAt - performance.now()
    if (leftMs <= 0) return 'was not reached: the schemas of this manifest take too long to check. Make them smaller.'
    const compiled = compileSchema(schema, leftMs)
    return compiled.ok ? null : compiled.problem
  })
}
