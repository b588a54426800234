import type { Kysely, Transaction } from 'kysely'
import { isConflict } from './errors.ts'
import type { Schema } from './schema.ts'

export type Tx = Transaction<Schema>

const RETRIES = 3

/**
 * Runs `work` in one transaction and returns what it returns. A conflict with another transaction rolls back and runs
 * `work` again, so it reads and writes through `tx` alone and has no other effect. Lock rows with `.forUpdate()`: on SQLite, whose transactions
 * exclude each other from their start, the clause is dropped.
 */
export async function inTransaction<T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (retry === RETRIES || !isConflict(error)) throw error
    }
  }
}
