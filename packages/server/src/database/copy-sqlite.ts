import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import { MIGRATION_NAMES } from './migrations.ts'

export type CopyCheck =
  | { ok: true; schema: string; executions: number }
  | { ok: false; problem: 'damaged' | 'foreign' | 'newer' }

/**
 * Writes one consistent state of a database into a new file, for its owner's eyes only, and brings it to the disk. Works
 * beside a running server, which goes on reading and writing. Throws where the target is there.
 */
export function copySqlite(source: string, target: string): void {
  const database = new SqliteDatabase(source, { readonly: true, fileMustExist: true })
  try {
    // One read transaction, which no writer waits for; the page-wise backup would begin anew with every write.
    database.prepare('vacuum into ?').run(target)
  } finally {
    database.close()
  }
  chmodSync(target, 0o600)
  syncToDisk(target)
}

/** Reads a copy from end to end. One that was made by a newer version has tables that this one does not know. */
export function checkCopy(file: string): CopyCheck {
  let database: SqliteDatabase.Database | undefined
  try {
    database = new SqliteDatabase(file, { readonly: true, fileMustExist: true })
    if (database.pragma('integrity_check', { simple: true }) !== 'ok') return { ok: false, problem: 'damaged' }
    const applied = migrationsOf(database)
    if (applied.length === 0) return { ok: false, problem: 'foreign' }
    if (applied.some((name) => !MIGRATION_NAMES.includes(name))) return { ok: false, problem: 'newer' }
    const executions = Number(database.prepare('select count(*) from executions').pluck().get())
    return { ok: true, schema: applied.at(-1) ?? '', executions }
  } catch {
    return { ok: false, problem: 'damaged' }
  } finally {
    database?.close()
  }
}

function migrationsOf(database: SqliteDatabase.Database): string[] {
  const table = "select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'"
  if (database.prepare(table).get() === undefined) return []
  return database.prepare('select name from kysely_migration order by name').pluck().all().map(String)
}

/** Brings a file, or a folder's list of files, to the disk. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
