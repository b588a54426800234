import type { JsonObject } from '@svc/contract'
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { linearRegExp } from './linear-reg-exp.ts'
import { linearUniqueItems } from './unique-items.ts'

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

const OPTIONS: Options = {
  strict: false,
  logger: false,
  messages: true,
  // Otherwise “constructor” and “toString” are there in every object.
  ownProperties: true,
  // JSON.parse makes infinity of 1e999, and no JSON can carry it on.
  strictNumbers: true,
  // The optimizer's passes over the generated code take time in the square of its size.
  code: { regExp: linearRegExp, optimize: false },
}

interface Dialect {
  id: string
  Compiler: typeof Ajv | typeof Ajv2020
  /** Has the dialect's own schema compiled, which takes longer than most schemas do. */
  judge: Ajv | Ajv2020 | null
}

const LATEST: Dialect = { id: 'https://json-schema.org/draft/2020-12/schema', Compiler: Ajv2020, judge: null }
const EARLIER: Dialect = { id: 'http://json-schema.org/draft-07/schema#', Compiler: Ajv, judge: null }

/** Validates a schema against the schema of its dialect. Throws what is wrong with it. */
export function validateSchema(schema: JsonObject): void {
  const { dialect, id } = dialectOf(schema)
  dialect.judge ??= withFormats(new dialect.Compiler(OPTIONS))
  const { judge } = dialect
  if (judge.validateSchema({ ...schema, $schema: id }) === true) return
  throw new Error(judge.errorsText(judge.errors, { dataVar: 'schema' }))
}

/**
 * Compiles a schema. Each has a compiler of its own that knows no other schema, so that no reference leads out of it, not
 * even one to its dialect. Throws where it does not compile.
 */
export function compileAlone(schema: JsonObject): ValidateFunction {
  const { Compiler } = dialectOf(schema).dialect
  const ignoreKeywordsWithRef = isDraft07(schema)
  const ajv = withFormats(new Compiler({ ...OPTIONS, meta: false, validateSchema: false, ignoreKeywordsWithRef }))
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword(linearUniqueItems)
  return ajv.compile(schema)
}

/** Whether a schema is draft-07, in which keywords beside a `$ref` mean nothing. */
export function isDraft07(schema: JsonObject): boolean {
  return dialectOf(schema).dialect === EARLIER
}

function dialectOf(schema: JsonObject): { dialect: Dialect; id: string } {
  const named = schema['$schema'] ?? LATEST.id
  if (typeof named !== 'string') throw new Error('$schema must be a string')
  return DRAFT_07.test(named) ? { dialect: EARLIER, id: EARLIER.id } : { dialect: LATEST, id: named }
}

function withFormats<A extends Ajv | Ajv2020>(ajv: A): A {
  addFormats.default(ajv)
  // The library's pattern for this one takes time in the square of its text.
  ajv.addFormat('url', addFormats.default.get('uri'))
  return ajv
}
