import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { makePrivateFolder } from '../lib/private-files.ts'

export interface FolderLock {
  release(): void
}

export const LOCK_FILE = 'server.lock'

/** A lock that nobody refers to would be collected as garbage, and so released. */
const held = new Set<SqliteDatabase.Database>()

/**
 * Keeps other servers off a data folder until `release` or the end of the process, a killed one included. Throws where
 * another server holds it. Commands that work beside a running server do not take it.
 */
export function lockDataFolder(folder: string): FolderLock {
  makePrivateFolder(folder)
  const database = new SqliteDatabase(join(folder, LOCK_FILE), { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    throw isBusy(error)
      ? new Error(
          `another server is already running on the data folder ${folder}: stop it, or set SVC_DATA_DIR to another folder`,
        )
      : error
  }
  held.add(database)
  return {
    release() {
      held.delete(database)
      database.close()
    },
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')
}
