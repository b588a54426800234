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
  // Otherwise “constructor” and “toString” are there in every object.
  ownProperties: true,
  // JSON.parse makes infinity of 1e999, and no JSON can carry it on.
  strictNumbers: true,
  // The optimizer's passes over the generated code take time in the square of its size.
  code: { regExp: linearRegExp, optimize: false },
}

const LATEST = withFormats(new Ajv2020(OPTIONS))
const DRAFT_07 = withFormats(new Ajv(OPTIONS))

/** Validates a schema against the schema of its dialect. Throws what is wrong with it. */
export function validateSchema(schema: JsonObject): void {
  const judge = isDraft07(schema) ? DRAFT_07 : LATEST
  if (judge.validateSchema(isDraft07(schema) ? { ...schema, $schema: undefined } : schema) === true) return
  throw new Error(judge.errorsText(judge.errors, { dataVar: 'schema' }))
}

/** Compiles a schema whose references are resolved, in a compiler of its own. Throws where it does not compile. */
export function compileAlone(schema: JsonObject): ValidateFunction {
  const options: Options = { ...OPTIONS, meta: false, validateSchema: false }
  const ajv = withFormats(isDraft07(schema) ? new Ajv(options) : new Ajv2020(options))
  // Ajv's way of collecting what is evaluated fails within some choices; its own two keywords alone need it.
  ajv.opts.unevaluated = false
  // After the schemas of single items Ajv leaves it out for an empty array.
  const containsFirst = { ...Object(ajv.getKeyword('contains')), before: isDraft07(schema) ? 'items' : 'prefixItems' }
  const keywords = [containsFirst, linearUniqueItems, ...(isDraft07(schema) ? [] : unevaluatedKeywords)]
  for (const each of keywords) ajv.removeKeyword(String(each.keyword)).addKeyword(each)
  return ajv.compile(schema)
}

function withFormats<A extends Ajv | Ajv2020>(ajv: A): A {
  addFormats.default(ajv)
  // The library's pattern for this one takes time in the square of its text.
  ajv.addFormat('url', addFormats.default.get('uri'))
  return ajv
}
