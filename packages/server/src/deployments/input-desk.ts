import { createHash } from 'node:crypto'
import { type FieldErrors, isJsonObject } from '@svc/contract'
import { Lru } from '../lru.ts'
import { compileJudged, notChecked, type SchemaCheck } from './json-schema.ts'
import { createPatience, type Patience } from './patience.ts'

/** An input, and the schema to check it against as JSON text, which was found good before. */
export interface ToCheck {
  schema: string
  value: unknown
  root: string
  bytes: number
}

// Of schemas as text; what is made of them takes tens of times that.
const COMPILED_BYTES = 1024 * 1024
// Of many more schemas than are kept compiled: whoever has theirs pushed out must not find all patience back with it.
const PATIENCES = 10_000

interface InputDeskOptions {
  compiledBytes?: number
  newPatience?: () => Patience
}

/**
 * Checks inputs one after the other, with a time limit each. It remembers the schemas that it compiled last. One that does
 * not compile is the input's misfortune, and no other's: what was compiled stays.
 */
export function createInputDesk(options: InputDeskOptions = {}): (asked: ToCheck) => FieldErrors | null {
  const { compiledBytes = COMPILED_BYTES, newPatience = createPatience } = options
  const compiled = new Lru<string, { check: SchemaCheck; bytes: number }>(compiledBytes, ({ bytes }) => bytes)
  const patiences = new Lru<string, Patience>(PATIENCES)
  const patienceWith = (text: string): Patience => {
    const hash = createHash('sha256').update(text).digest('base64')
    const patience = patiences.get(hash) ?? newPatience()
    patiences.set(hash, patience)
    return patience
  }
  const compile = (text: string): SchemaCheck => {
    const schema: unknown = JSON.parse(text)
    if (!isJsonObject(schema)) throw new Error('a schema is an object')
    const check = compileJudged(schema, patienceWith(text))
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
