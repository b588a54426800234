import type { Schema } from './types.ts'

/** The schemas that a document gathers under names of their own. */
export type ComponentBook = {
  /** A name that nobody else has: the one asked for, or that with a number. Upper and lower case are the same here. */
  reserve(name: string): string
  define(name: string, schema: Schema): void
  /** All of them, by name. */
  components(): Record<string, Schema>
}

export function createComponentBook(): ComponentBook {
  const taken = new Set<string>()
  const schemas = new Map<string, Schema>()
  return {
    reserve(wanted) {
      let name = wanted
      for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${wanted}${number}`
      taken.add(name.toLowerCase())
      return name
    },
    define(name, schema) {
      schemas.set(name, schema)
    },
    components() {
      return Object.fromEntries(Array.from(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}
