import { type FieldErrors, isJsonObject } from '@svc/contract'
import { Lru } from '../lru.ts'
import { compileJudged, type SchemaCheck } from './json-schema.ts'

/** An input, and the schema to check it against as JSON text, which was found good before. */
export interface ToCheck {
  schema: string
  value: unknown
  root: string
  bytes: number
}

// Of schemas as text; what is made of them takes tens of times that.
const COMPILED_BYTES = 1024 * 1024

/** Checks inputs one after the other, with a time limit each. It remembers the schemas that it compiled last. */
export function createInputDesk(): (asked: ToCheck) => FieldErrors | null {
  const compiled = new Lru<string, { check: SchemaCheck; bytes: number }>(COMPILED_BYTES, ({ bytes }) => bytes)
  const compile = (text: string) => {
    const schema: unknown = JSON.parse(text)
    if (!isJsonObject(schema)) throw new Error('a schema is an object')
    const entry = { check: compileJudged(schema), bytes: text.length }
    compiled.set(text, entry)
    return entry
  }
  return ({ schema, value, root, bytes }) => (compiled.get(schema) ?? compile(schema)).check(value, root, bytes)
}
