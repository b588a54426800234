import { statfsSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { lockDataFolder } from './folder-lock.ts'

const INCREMENTAL = 2

// A running server waits for each step; this much takes some milliseconds.
const PAGES_PER_STEP = 500
const PAUSE_MS = 5

/**
 * Gives the free pages of a database back to the file system, in steps between which a running server writes. A database of
 * an earlier release is written anew for that, once, where no server runs and there is room; false where that cannot be.
 */
export async function reclaimSpace(file: string, folder: string): Promise<boolean> {
  const database = new SqliteDatabase(file, { fileMustExist: true, timeout: 5_000 })
  try {
    if (database.pragma('auto_vacuum', { simple: true }) !== INCREMENTAL) return rewrite(database, { file, folder })
    for (let free = freePages(database); free > 0; ) {
      database.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
      const left = freePages(database)
      if (left >= free) break
      free = left
      await pause(PAUSE_MS)
    }
    database.pragma('wal_checkpoint(truncate)')
    return true
  } finally {
    database.close()
  }
}

function freePages(database: SqliteDatabase.Database): number {
  return Number(database.pragma('freelist_count', { simple: true }))
}

function rewrite(database: SqliteDatabase.Database, { file, folder }: { file: string; folder: string }): boolean {
  const { bavail, bsize } = statfsSync(folder)
  // A copy of it, and as much again in the write-ahead log.
  if (bavail * bsize < 2 * statSync(file).size) return false
  let lock: ReturnType<typeof lockDataFolder>
  try {
    lock = lockDataFolder(folder)
  } catch {
    return false
  }
  try {
    database.pragma('auto_vacuum = incremental')
    database.exec('vacuum')
    database.pragma('wal_checkpoint(truncate)')
    return true
  } finally {
    lock.release()
  }
}
