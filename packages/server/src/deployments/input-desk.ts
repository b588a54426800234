import { type FieldErrors, isJsonObject } from '@svc/contract'
import { Lru } from '../lru.ts'
import { compileJudged, notChecked, type SchemaCheck } from './json-schema.ts'

/** An input, and the schema to check it against as JSON text, which was found good before. */
export interface ToCheck {
  schema: string
  value: unknown
  root: string
  bytes: number
}

// Of schemas as text; what is made of them takes tens of times that.
const COMPILED_BYTES = 1024 * 1024

/**
 * Checks inputs one after the other, with a time limit each. It remembers the schemas that it compiled last. One that does
 * not compile is the input's misfortune, and no other's: what was compiled stays.
 */
export function createInputDesk(): (asked: ToCheck) => FieldErrors | null {
  const compiled = new Lru<string, { check: SchemaCheck; bytes: number }>(COMPILED_BYTES, ({ bytes }) => bytes)
  const compile = (text: string): SchemaCheck => {
    const schema: unknown = JSON.parse(text)
    if (!isJsonObject(schema)) throw new Error('a schema is an object')
    const check = compileJudged(schema)
    compiled.set(text, { check, bytes: Buffer.byteLength(text) })
    return check
  }
  const tryToCompile = (text: string): SchemaCheck => {
    try {
      return compile(text)
    } catch {
      // An older release took it, or the machine is busy: it is tried again with the next input.
      return (_value, root) => notChecked(root)
    }
  }
  return ({ schema, value, root, bytes }) => {
    const check = compiled.get(schema)?.check ?? tryToCompile(schema)
    return check(value, root, bytes)
  }
}
