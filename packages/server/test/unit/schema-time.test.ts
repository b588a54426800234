import { expect, test } from 'vitest'
import { compileSchema } from '../../src/deployments/json-schema.ts'
import { object, problemOf } from './schema-support.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const SMALL = object({ text: { type: 'string' } })
/** Takes several milliseconds to judge and many more to compile. */
const LARGE = object(
  Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`field-${index}`, { type: 'string', maxLength: index }]),
  ),
)

// First in its file: a process that has compiled nothing yet is the one that has most to be stopped in.
test('the first schema of a process may be stopped for its time, and the next ones are judged as ever', () => {
  for (const dialect of [{}, { $schema: DRAFT_07 }]) {
    compileSchema({ ...dialect, ...LARGE }, 1)
    expect(problemOf({ ...dialect, ...SMALL })).toBeNull()
    expect(problemOf({ ...dialect, type: 'strin' })).toContain('is not valid JSON Schema: schema/type')
  }
})

test('a schema that is stopped at any moment leaves nothing behind for others', () => {
  let stopped = 0
  for (const dialect of [{}, { $schema: DRAFT_07 }, { $schema: 'https://json-schema.org/draft/2020-12/meta/core' }]) {
    for (const ms of [1, 2, 3, 5, 8, 12]) {
      if (!compileSchema({ ...dialect, ...LARGE }, ms).ok) stopped += 1
      expect(problemOf({ ...dialect, ...SMALL })).toBeNull()
      expect(problemOf({ ...dialect, ...LARGE })).toBeNull()
    }
  }
  expect(stopped).toBeGreaterThan(0)
})
