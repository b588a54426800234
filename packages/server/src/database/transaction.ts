import { CompiledQuery, type Kysely, type QueryResult, type Transaction } from 'kysely'
import { CommitUnknownError, isConflict, isConnectionFault, isUnreachable, noteWithoutEffect } from './errors.ts'
import type { Schema } from './schema.ts'

export type Tx = Transaction<Schema>

const RETRIES = 3

/**
 * Runs `work` in one transaction, and again after a conflict or a connection lost before the commit, so it reads and writes
 * through `tx` alone. Throws a `CommitUnknownError` where the commit may have taken place. Lock rows with `.forUpdate()`:
 * on SQLite, whose transactions exclude each other from their start, the clause is dropped.
 */
export function inTransaction<T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return repeated((atCommit) =>
    db.transaction().execute(async (tx) => {
      const answer = await work(tx)
      atCommit()
      return answer
    }),
  )
}

/** Sends a statement at once, behind those that were sent before; the answer comes when it comes. */
export type Send = <Row>(sql: string, parameters?: readonly unknown[]) => Promise<QueryResult<Row>>

/**
 * The same for PostgreSQL, with statements that do not wait for each other's answers: they share a round trip. `work`
 * sends `begin` with the first of them and, once it has called `atCommit`, `commit` with the last.
 */
export function inPipeline<T>(db: Kysely<Schema>, work: (send: Send, atCommit: () => void) => Promise<T>): Promise<T> {
  return repeated((atCommit) =>
    db.getExecutor().provideConnection(async (connection) => {
      const send: Send = (sql, parameters = []) => connection.executeQuery(CompiledQuery.raw(sql, [...parameters]))
      try {
        return await work(send, atCommit)
      } catch (error) {
        // Where nothing is begun, or the connection is lost, there is nothing to roll back.
        await send('rollback').catch(() => undefined)
        throw error
      }
    }),
  )
}

/** Runs a transaction, over again after conflicts and connections lost before it said that it was at its commit. */
export async function repeated<T>(run: (atCommit: () => void) => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    let isAtCommit = false
    try {
      return await run(() => {
        isAtCommit = true
      })
    } catch (error) {
      if (isAtCommit && isConnectionFault(error)) throw new CommitUnknownError(error)
      noteWithoutEffect(error)
      if (retry === RETRIES || isUnreachable(error) || !(isConflict(error) || isConnectionFault(error))) throw error
    }
  }
}
