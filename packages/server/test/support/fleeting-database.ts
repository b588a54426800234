import type { Kysely } from 'kysely'
import type { Database } from '../../src/store/database.ts'
import { DatabaseError } from '../../src/store/errors.ts'
import type { Schema } from '../../src/store/schema.ts'

/** A database that a test has go away between two steps of one request. */
export interface FleetingDatabase {
  database: Database
  /** Away after so many more transactions, or writes on their own: from the next one on, or the next read. */
  goAfter(writes: number): void
  comeBack(): void
}

/** A statement begun on a database, and whether it counts. */
const BEGINNINGS = new Map<PropertyKey, 0 | 1>([
  ['selectFrom', 0],
  ['insertInto', 1],
  ['updateTable', 1],
  ['deleteFrom', 1],
  ['transaction', 1],
])

/** Answers as `lasting` does until it is away. Then all that is begun meets what a busy database says, on either engine. */
export function createFleetingDatabase(lasting: Database): FleetingDatabase {
  let left = Number.POSITIVE_INFINITY
  const begin = (writes: 0 | 1) => {
    if (left === 0) throw new DatabaseError({ code: '57014', message: 'canceling statement due to statement timeout' })
    left -= writes
  }
  const db = new Proxy(lasting.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        const writes = BEGINNINGS.get(name)
        if (writes !== undefined) begin(writes)
        return Reflect.apply(value, target, given)
      }
    },
  }) satisfies Kysely<Schema>
  return {
    database: { ...lasting, db },
    goAfter(writes) {
      left = writes
    },
    comeBack() {
      left = Number.POSITIVE_INFINITY
    },
  }
}
