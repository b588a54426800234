import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import { MIGRATION_NAMES } from '../migrations.ts'

export type BackupCheck =
  | { ok: true; schema: string; executions: number }
  | { ok: false; problem: 'damaged' | 'foreign' | 'newer' }

/** Writes and flushes a consistent copy, mode 0600, also while a server writes. Throws where the target exists. */
export function backUpSqlite(source: string, target: string): void {
  const database = new SqliteDatabase(source, { readonly: true, fileMustExist: true })
  try {
    // One read transaction, which blocks no writer; the backup API would start again after every write.
    database.prepare('vacuum into ?').run(target)
  } finally {
    database.close()
  }
  chmodSync(target, 0o600)
  syncToDisk(target)
}

/** Verifies a whole copy. `newer`: it has migrations that this version does not know. */
export function checkBackup(file: string): BackupCheck {
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

/** Flushes a file, or the entries of a folder, to the disk. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
