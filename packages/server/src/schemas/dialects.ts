import type { JsonObject } from '@svc/contract'
import { isDraft07 } from '@svc/contract/resolve-references'
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { linearRegExp } from './linear-reg-exp.ts'
import { unevaluatedKeywords } from './unevaluated.ts'
import { linearUniqueItems } from './unique-items.ts'

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // Without it every object has a “constructor”.
  ownProperties: true,
  // JSON.parse makes Infinity of 1e999.
  strictNumbers: true,
  // The optimizer takes quadratic time.
  code: { regExp: linearRegExp, optimize: false },
}

const LATEST = withFormats(new Ajv2020(OPTIONS))
const DRAFT_07 = withFormats(new Ajv(OPTIONS))

/** Validates a schema against its meta-schema. Throws where it is invalid. */
export function validateSchema(schema: JsonObject): void {
  const ajv = isDraft07(schema) ? DRAFT_07 : LATEST
  if (ajv.validateSchema(isDraft07(schema) ? { ...schema, $schema: undefined } : schema) === true) return
  throw new Error(ajv.errorsText(ajv.errors, { dataVar: 'schema' }))
}

/** Compiles a schema with resolved references, in an Ajv of its own. Throws where it does not compile. */
export function compileAlone(schema: JsonObject): ValidateFunction {
  const options: Options = { ...OPTIONS, meta: false, validateSchema: false }
  const ajv = withFormats(isDraft07(schema) ? new Ajv(options) : new Ajv2020(options))
  // Only Ajv's own two keywords, which are replaced, need it, and it fails within some choices.
  ajv.opts.unevaluated = false
  // After the schemas of items Ajv skips it for an empty array.
  const containsFirst = { ...Object(ajv.getKeyword('contains')), before: isDraft07(schema) ? 'items' : 'prefixItems' }
  const keywords = [containsFirst, linearUniqueItems, ...(isDraft07(schema) ? [] : unevaluatedKeywords)]
  for (const each of keywords) ajv.removeKeyword(String(each.keyword)).addKeyword(each)
  return ajv.compile(schema)
}

function withFormats<A extends Ajv | Ajv2020>(ajv: A): A {
  addFormats.default(ajv)
  // The library's own pattern takes quadratic time.
  ajv.addFormat('url', addFormats.default.get('uri'))
  return ajv
}
