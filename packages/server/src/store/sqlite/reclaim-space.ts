import { setTimeout as pause } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'

// A running server waits for each step: this many pages take a few milliseconds.
const PAGES_PER_STEP = 500
const PAUSE_MS = 5

/** Returns the free pages of a SQLite database to the file system, in steps between which a running server writes. */
export async function reclaimSpace(file: string): Promise<void> {
  const database = new SqliteDatabase(file, { fileMustExist: true, timeout: 5_000 })
  const freePages = () => Number(database.pragma('freelist_count', { simple: true }))
  try {
    for (let [before, free] = [Number.POSITIVE_INFINITY, freePages()]; free > 0 && free < before; ) {
      database.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
      await pause(PAUSE_MS)
      ;[before, free] = [free, freePages()]
    }
    database.pragma('wal_checkpoint(truncate)')
  } finally {
    database.close()
  }
}
