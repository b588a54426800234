import type { JsonObject } from '@svc/contract'
import { Lru } from '../lru.ts'
import type { QuickSchema } from './json-schema.ts'

/** What is known of one schema of an owner's, however many runtimes it is deployed to. */
export interface OwnSchema {
  /** As JSON. */
  readonly text: string
  /** Takes too long to compile where others wait. */
  readonly isLarge: boolean
  /** Null until it was compiled. */
  quick: QuickSchema | null
  /** Until when nothing of it that may take long is tried where others wait. */
  slowUntil: number
}

/** Compiling takes some three milliseconds per KiB of schema, up to seven where it is all patterns. */
const MAX_QUICK_BYTES = 8 * 1024
// Of schemas as text, each a KiB at least. What is made of them takes some fifty times that.
const SHARED_BYTES = 1024 * 1024
const LEAST_BYTES = 1024

/** Finds what is known of a schema by its text. What is large is compiled elsewhere, and shared there. */
export function createOwnSchemas(): (ownerId: string, schema: JsonObject) => OwnSchema {
  const shared = new Lru<string, OwnSchema>(SHARED_BYTES, ({ text }) => Math.max(LEAST_BYTES, Buffer.byteLength(text)))
  return (ownerId, schema) => {
    const text = JSON.stringify(schema)
    const isLarge = Buffer.byteLength(text) > MAX_QUICK_BYTES
    // By owner, too: what somebody else does with the same schema is no reason to have this one's wait.
    const name = `${ownerId} ${text}`
    const own = shared.get(name) ?? { text, isLarge, quick: null, slowUntil: 0 }
    if (!isLarge) shared.set(name, own)
    return own
  }
}
