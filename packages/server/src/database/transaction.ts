import { CompiledQuery, type Kysely, type Transaction } from 'kysely'
import {
  CommitUnknownError,
  isConflict,
  isConnectionFault,
  isUnchanged,
  isUnreachable,
  noteWithoutEffect,
} from './errors.ts'
import { isPostgres } from './row-statement.ts'
import type { Schema } from './schema.ts'
import { send, sendAtOnce } from './sent-at-once.ts'

export type Tx = Transaction<Schema>

const RETRIES = 3

/** What a transaction came to: `doubt` is set where the answer to its commit was lost. */
export interface Ended<T> {
  answer: T
  doubt: CommitUnknownError | null
}

/**
 * Runs `work` in one transaction and returns what it returns. A conflict with another transaction, or a connection that
 * is lost before the commit, rolls back and runs `work` again, so it reads and writes through `tx` alone and has no other
 * effect. Throws a `CommitUnknownError` where the commit may have taken place. Lock rows with `.forUpdate()`: on SQLite,
 * whose transactions exclude each other from their start, the clause is dropped.
 */
export async function inTransaction<T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { answer, doubt } = await endTransaction(db, work)
  if (doubt !== null) throw doubt
  return answer
}

/** The same for those who can find out whether a commit took place, and want to know then what `work` returned. */
export async function endTransaction<T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<Ended<T>> {
  for (let retry = 0; ; retry += 1) {
    const state: { atCommit: { answer: T } | null } = { atCommit: null }
    const run = async (tx: Tx) => {
      await sendAtOnce(tx)
      const answer = await work(tx)
      state.atCommit = { answer }
      return answer
    }
    try {
      return { answer: await db.transaction().execute(run), doubt: null }
    } catch (error) {
      const { atCommit } = state
      if (atCommit && isConnectionFault(error)) return { ...atCommit, doubt: new CommitUnknownError(error) }
      noteWithoutEffect(error)
      if (retry === RETRIES || isUnreachable(error) || !(isConflict(error) || isConnectionFault(error))) throw error
    }
  }
}

/** How the commit is sent early. */
export const COMMIT = CompiledQuery.raw('commit')

/**
 * Sends the commit along with the last statements of a transaction, begun in the same turn and not waited for: SQLite's
 * thread is woken once for all of them, and commits nothing where one of them failed. Elsewhere does nothing.
 */
export async function commitAlong(tx: Tx): Promise<void> {
  if (!isPostgres(tx)) await send(tx, COMMIT)
}

/** Does all of the work or none: false where a row of `updateAllRows` was not there to be changed. */
export async function allOrNothing(db: Kysely<Schema>, work: (tx: Tx) => Promise<unknown>): Promise<boolean> {
  try {
    await inTransaction(db, work)
    return true
  } catch (error) {
    if (isUnchanged(error)) return false
    throw error
  }
}

/** Repeats one statement, which is a transaction of its own, while it loses against others. */
export async function retryConflicts<T>(statement: () => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await statement()
    } catch (error) {
      if (retry === RETRIES || !isConflict(error)) throw error
    }
  }
}
