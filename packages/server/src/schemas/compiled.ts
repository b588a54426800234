import type { JsonObject } from '@svc/contract'
import { Lru } from '../lib/lru.ts'
import { compileDeployed, type SchemaCheck } from './compile.ts'

// Characters of schemas, of all owners and of one. Compiled they take about fifty times that.
const ALL_CHARACTERS = 1024 * 1024
const OWNER_CHARACTERS = ALL_CHARACTERS / 4
const MIN_CHARACTERS = 1_000

/** Compiles schemas on their first use and caches those used last, by owner and JSON text. */
export function createCompiledSchemas(): (ownerId: string, text: string) => SchemaCheck {
  const owners = new Lru<string, Lru<string, { check: SchemaCheck; size: number }>>(ALL_CHARACTERS, (own) => own.weight)
  return (ownerId, text) => {
    const own = owners.get(ownerId) ?? new Lru(OWNER_CHARACTERS, ({ size }) => size)
    const known = own.get(text)
    if (known) return known.check
    const schema: JsonObject = JSON.parse(text)
    const check = compileDeployed(schema)
    own.set(text, { check, size: Math.max(MIN_CHARACTERS, text.length) })
    owners.set(ownerId, own)
    return check
  }
}
