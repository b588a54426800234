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
  code: { regExp: linearRegExp },
}

interface Dialect {
  id: string
  Compiler: typeof Ajv | typeof Ajv2020
  /** Knows the dialect's own schemas, which take longer to compile than what is checked against them. */
  judge: Ajv | Ajv2020
}

const LATEST = dialect('https://json-schema.org/draft/2020-12/schema', Ajv2020)
const EARLIER = dialect('http://json-schema.org/draft-07/schema#', Ajv)

/**
 * Compiles a schema of the dialect that it names. Its compiler knows no schema but the one at hand, so that not even a
 * reference to its own dialect leads anywhere. Throws where it is not valid.
 */
export function compileAlone(schema: JsonObject): ValidateFunction {
  const named = schema['$schema'] ?? LATEST.id
  if (typeof named !== 'string') throw new Error('$schema must be a string')
  const isEarlier = DRAFT_07.test(named)
  const { id, Compiler, judge } = isEarlier ? EARLIER : LATEST
  const isValid = judge.validateSchema({ ...schema, $schema: isEarlier ? id : named })
  if (isValid !== true) throw new Error(judge.errorsText(judge.errors, { dataVar: 'schema' }))
  const ajv = withFormats(new Compiler({ ...OPTIONS, meta: false, validateSchema: false }))
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword(linearUniqueItems)
  return ajv.compile(schema)
}

function dialect(id: string, Compiler: typeof Ajv | typeof Ajv2020): Dialect {
  return { id, Compiler, judge: withFormats(new Compiler(OPTIONS)) }
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
