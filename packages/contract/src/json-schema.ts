import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema'
import type { FieldErrors } from './errors.ts'
import type { JsonObject } from './json.ts'
import { jsonSchemaFaults } from './json-schema-faults.ts'
import { prepareJsonSchema } from './prepare-json-schema.ts'
import { resolveReferences } from './resolve-references.ts'

/** Finds the faults of a value by dotted path, at most ten of them; empty where it is valid. Never throws. */
export type JsonSchemaCheck = (value: unknown) => FieldErrors

const MAX_DEPTH = 100
// Past this many members the first fault is looked for alone: an array of a million wrong items has a million faults.
const MAX_FULLY_REPORTED = 5_000
// Alternatives within alternatives can take time in a power of the depth: so many schemas are tried, and no more.
const MAX_STEPS = 50_000
const MAX_STEPS_PER_MEMBER = 20

/**
 * Makes a check from a JSON Schema (2020-12, or draft-07 where `$schema` says so) without compiling code, so that it works
 * where `eval` does not. A fault of the whole value stands under `root`. For schemas of one’s own: patterns run in the
 * engine’s own regular expressions, without a limit. Formats are checked; values may be 100 levels deep, arrays under `uniqueItems` may hold 1,000 items, and what takes too many steps to be checked is a fault.
 * Throws a `TypeError` for a schema that nothing can be checked against: a `$ref` that leads out of it or back to itself,
 * an unknown `type` or `$schema`, a name that stands twice, and a pattern that is no regular expression.
 * @example
 * const check = jsonSchemaCheck({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] })
 * check({}) // { id: ['is required.'] }
 */
export function jsonSchemaCheck(schema: JsonObject, root = 'input'): JsonSchemaCheck {
  const compiled = compile(schema)
  return (value) => {
    const { size, problem } = measure(value)
    if (problem) return { [problem.path.join('.') || root]: [problem.sentence] }
    try {
      const first = compiled.errorsOf(value, { onlyFirst: true, size })
      if (first.length === 0) return {}
      return jsonSchemaFaults(allErrors(compiled, value, size) ?? first, { ...compiled, root })
    } catch (error) {
      return { [root]: [uncheckable(error)] }
    }
  }
}

// To find all faults takes longer than to find one: where that is too long, the first one is told.
function allErrors(compiled: Compiled, value: unknown, size: number): OutputUnit[] | null {
  if (size > MAX_FULLY_REPORTED) return null
  try {
    return compiled.errorsOf(value, { onlyFirst: false, size })
  } catch (error) {
    if (error instanceof TooManySteps) return null
    throw error
  }
}

function uncheckable(error: unknown): string {
  if (error instanceof TooManySteps) return 'takes too long to be checked.'
  if (error instanceof RangeError) return 'is too large to be checked.'
  // Half of a surrogate pair in a name, which no address of a fault can hold.
  if (error instanceof URIError) return 'has a name that is no Unicode text.'
  throw error
}

class TooManySteps extends Error {}

interface Compiled {
  readonly schema: Schema
  /** Every subschema by its absolute address. */
  readonly lookup: Readonly<Record<string, Schema | boolean>>
  errorsOf(value: unknown, how: { readonly onlyFirst: boolean; readonly size: number }): OutputUnit[]
}

function compile(given: JsonObject): Compiled {
  try {
    const draft = draftOf(given)
    let stepsLeft = MAX_STEPS
    const onStep = () => {
      stepsLeft -= 1
      if (stepsLeft < 0) throw new TooManySteps()
    }
    const schema: Schema = prepareJsonSchema(resolved(given), { draft, onStep })
    const lookup = dereference(schema)
    const errorsOf: Compiled['errorsOf'] = (value, { onlyFirst, size }) => {
      stepsLeft = MAX_STEPS + MAX_STEPS_PER_MEMBER * size
      return validate(value, schema, draft, lookup, onlyFirst).errors
    }
    // A schema that leads back to itself in place never ends, whatever the value.
    for (const probe of [null, {}, []]) errorsOf(probe, { onlyFirst: true, size: 1 })
    return { schema, lookup, errorsOf }
  } catch (error) {
    if (error instanceof RangeError || error instanceof TooManySteps) {
      throw new TypeError('The schema is nested too deeply, or leads back to itself without end.')
    }
    if (error instanceof TypeError) throw error
    throw new TypeError(`The schema is not usable: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const DRAFTS = new Map<string, SchemaDraft>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', '7'],
])

function draftOf({ $schema: named }: JsonObject): SchemaDraft {
  if (named === undefined) return '2020-12'
  const draft = DRAFTS.get(String(named).replace(/^https?:\/\/|#$/g, ''))
  if (draft) return draft
  throw new TypeError(`The schema names a $schema that is not supported, “${String(named)}”: use 2020-12 or draft-07.`)
}

function resolved(schema: JsonObject): JsonObject {
  try {
    return resolveReferences(schema)
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`The schema ${error.message}`) : error
  }
}

interface Measure {
  readonly size: number
  readonly problem?: { readonly path: readonly string[]; readonly sentence: string }
}

// What came from JSON.parse can still hold 1e999; what did not can hold anything.
function measure(value: unknown, depth = 0): Measure {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && !Number.isFinite(value)) return faulty('is a number that JSON cannot hold.')
    return ['undefined', 'function', 'symbol', 'bigint'].includes(typeof value)
      ? faulty('is nothing that JSON can hold.')
      : { size: 1 }
  }
  if (depth === MAX_DEPTH) return TOO_DEEP
  let size = 1
  for (const [key, member] of Object.entries(value)) {
    const { problem, size: memberSize } = measure(member, depth + 1)
    if (problem === TOO_DEEP.problem) return TOO_DEEP
    if (problem) return { size, problem: { path: [key, ...problem.path], sentence: problem.sentence } }
    size += memberSize
  }
  return { size }
}

const TOO_DEEP = faulty(`is nested more than ${MAX_DEPTH} levels deep.`)

function faulty(sentence: string): Measure {
  return { size: 1, problem: { path: [], sentence } }
}
