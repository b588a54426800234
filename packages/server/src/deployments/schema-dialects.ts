import type { JsonObject } from '@svc/contract'
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { linearRegExps } from './linear-reg-exp.ts'
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
  // Its passes over the generated code take time in the square of its size.
  code: { regExp: linearRegExps(), optimize: false },
}

interface Dialect {
  id: string
  Compiler: typeof Ajv | typeof Ajv2020
  /** Knows the dialect's own schemas, which take longer to compile than what is checked against them; null while at it. */
  judge: Ajv | Ajv2020 | null
}

const LATEST: Dialect = { id: 'https://json-schema.org/draft/2020-12/schema', Compiler: Ajv2020, judge: null }
const EARLIER: Dialect = { id: 'http://json-schema.org/draft-07/schema#', Compiler: Ajv, judge: null }

/** The names of the dialects that schemas may be written in. */
export const DIALECT_IDS: readonly string[] = [LATEST.id, EARLIER.id]

/** Makes what all schemas are judged by, where it is not there. To be done before the time of any one schema begins. */
export function prepareDialects(): void {
  for (const dialect of [LATEST, EARLIER]) dialect.judge ??= createJudge(dialect)
}

/** Holds a schema against the one of the dialect that it names. Throws where it is not valid. */
export function judgeDialect(schema: JsonObject): void {
  const { dialect, id } = dialectOf(schema)
  judge(dialect, { ...schema, $schema: id })
}

/** A schema, compiled. */
export interface Compiled {
  validate: ValidateFunction
  /** Of the machines of all its patterns together. */
  instructions: number
}

/**
 * Compiles a schema of the dialect that it names. Its compiler knows no schema but the one at hand, so that not even a
 * reference to its own dialect leads anywhere. Throws where that cannot be done.
 */
export function compileAlone(schema: JsonObject): Compiled {
  const { dialect } = dialectOf(schema)
  let instructions = 0
  const regExp = linearRegExps((more) => {
    instructions += more
  })
  const code = { ...OPTIONS.code, regExp }
  const ajv = withFormats(new dialect.Compiler({ ...OPTIONS, code, meta: false, validateSchema: false }))
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword(linearUniqueItems)
  const validate = ajv.compile(schema)
  return { validate, instructions }
}

function dialectOf(schema: JsonObject): { dialect: Dialect; id: string } {
  const named = schema['$schema'] ?? LATEST.id
  if (typeof named !== 'string') throw new Error('$schema must be a string')
  return DRAFT_07.test(named) ? { dialect: EARLIER, id: EARLIER.id } : { dialect: LATEST, id: named }
}

function judge(dialect: Dialect, schema: JsonObject): void {
  const ajv = dialect.judge ?? createJudge(dialect)
  dialect.judge = null
  try {
    if (ajv.validateSchema(schema) !== true) throw new Error(ajv.errorsText(ajv.errors, { dataVar: 'schema' }))
  } finally {
    // Work that is stopped for its time does not get here: what it leaves half-made judges nobody else's schema.
    dialect.judge = ajv
  }
}

// A validator of the dialect's own schema is compiled on its first use, which is here.
function createJudge({ id, Compiler }: Dialect): Ajv | Ajv2020 {
  const ajv = withFormats(new Compiler(OPTIONS))
  ajv.validateSchema({ $schema: id })
  return ajv
}

function withFormats<A extends Ajv | Ajv2020>(ajv: A): A {
  addFormats.default(ajv)
  // The library's pattern for this one takes time in the square of its text.
  ajv.addFormat('url', isUrl)
  return ajv
}

function isUrl(text: string): boolean {
  if (!/^(?:https?|ftp):\/\/[^\s/]\S*$/i.test(text)) return false
  try {
    return new URL(text).hostname !== ''
  } catch {
    return false
  }
}
