import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { makePrivateFolder } from '../../lib/private-files.ts'

export const LOCK_FILE = 'server.lock'

/** References to the held locks: the garbage collector would close, and so release, one that nothing refers to. */
const held = new Set<SqliteDatabase.Database>()

/**
 * Locks a data folder until `release` or the end of the process, which may be killed. Throws where another server holds the
 * lock. Commands that run beside a server do not take it.
 */
export function lockDataFolder(folder: string) {
  makePrivateFolder(folder)
  const database = new SqliteDatabase(join(folder, LOCK_FILE), { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    const isLocked = error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')
    if (!isLocked) throw error
    throw new Error(
      `another server is already running on the data folder ${folder}: stop it, or set SVC_DATA_DIR to another folder`,
    )
  }
  held.add(database)
  return {
    release() {
      held.delete(database)
      database.close()
    },
  }
}
