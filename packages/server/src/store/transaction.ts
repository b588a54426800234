import { CompiledQuery, type QueryResult, type Transaction } from 'kysely'
import {
  AccountGoneError,
  CommitUnknownError,
  isConflict,
  isConnectionFault,
  isConnectTimeout,
  markNothingWritten,
} from './errors.ts'
import type { Db, Schema } from './schema.ts'

export type Tx = Transaction<Schema>

const RETRIES = 3

/**
 * Runs `work` in one transaction, and again after a conflict or a connection lost before the commit: `work` must have no
 * effect but through `tx`. Throws a {@link CommitUnknownError} where the answer to the commit is lost. `.forUpdate()` locks
 * rows on PostgreSQL; on SQLite transactions exclude each other.
 */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retryTransaction((atCommit) =>
    db.transaction().execute(async (tx) => {
      const answer = await work(tx)
      atCommit()
      return answer
    }),
  )
}

/** Sends a statement without waiting for the answers to earlier ones. */
export type Send = <Row>(sql: string, parameters?: readonly unknown[]) => Promise<QueryResult<Row>>

/** A transaction for PostgreSQL in few round trips: `work` sends `begin` first and, after `atCommit`, `commit` last. */
export function inPipeline<T>(db: Db, work: (send: Send, atCommit: () => void) => Promise<T>): Promise<T> {
  return retryTransaction((atCommit) =>
    db.getExecutor().provideConnection(async (connection) => {
      const send: Send = (sql, parameters = []) => connection.executeQuery(CompiledQuery.raw(sql, [...parameters]))
      try {
        return await work(send, atCommit)
      } catch (error) {
        // Fails where no transaction is open or the connection is lost: then nothing is left to roll back.
        await send('rollback').catch(() => undefined)
        throw error
      }
    }),
  )
}

/** Runs a transaction, and again, up to three times, after a conflict or a connection lost before it called `atCommit`. */
export async function retryTransaction<T>(run: (atCommit: () => void) => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    let isAtCommit = false
    try {
      return await run(() => {
        isAtCommit = true
      })
    } catch (error) {
      if (isAtCommit && isConnectionFault(error)) throw new CommitUnknownError(error)
      markNothingWritten(error)
      if (retry === RETRIES || isConnectTimeout(error) || !(isConflict(error) || isConnectionFault(error))) throw error
    }
  }
}

/**
 * Locks an account's row until the transaction ends, always before any row of its runtimes, and reads what limits depend
 * on: no two transactions of the account can each take the last free place. Throws an {@link AccountGoneError}.
 */
export async function lockOwner(tx: Tx, ownerId: string) {
  const owner = await tx
    .selectFrom('owners')
    .select(['tier', 'paid_by', 'stored_bytes'])
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!owner) throw new AccountGoneError('the account was deleted')
  return owner
}
