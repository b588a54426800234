import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Store } from '../config.ts'
import { checkCopy, copySqlite, syncToDisk } from '../database/copy-sqlite.ts'
import { databaseFile } from '../database/open-store.ts'
import { isAlreadyThere } from '../secrets/master-key.ts'
import type { AdminResult } from './admin-result.ts'

export const BACKUP_FILE = 'svc.db'
export const KEY_FILE = 'master.key'

/** What PostgreSQL's own tool does better. */
export const NOT_WITH_POSTGRES =
  'These commands are for the embedded store. DATABASE_URL is set: take pg_dump and pg_restore for PostgreSQL.'

interface BackupOptions {
  store: Store
  to: string
  /** Together with the database it opens everything, so it is copied only where that is asked for. */
  withMasterKey: boolean
}

/** Copies the embedded store into a new folder, beside a running server or without one. Leaves nothing where it fails. */
export function backUp({ store, to, withMasterKey }: BackupOptions): AdminResult {
  if (store.engine === 'postgres') return { ok: false, text: NOT_WITH_POSTGRES }
  const source = databaseFile(store.folder)
  const key = join(store.folder, KEY_FILE)
  if (!existsSync(source)) return { ok: false, text: `There is no database at ${source}. Set SVC_DATA_DIR.` }
  if (withMasterKey && !existsSync(key)) {
    return { ok: false, text: `There is no ${resolve(key)}: the master key is in SVC_MASTER_KEY. Keep a copy of that.` }
  }
  const folder = resolve(to)
  try {
    if (!makeFolder(folder)) {
      return { ok: false, text: `${folder} is there already: give each backup a folder of its own.` }
    }
    return fillOrRemove(folder, { source, key: withMasterKey ? key : null })
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { ok: false, text: `The backup could not be written to ${folder}: ${problem}` }
  }
}

interface Sources {
  source: string
  key: string | null
}

function fillOrRemove(folder: string, sources: Sources): AdminResult {
  try {
    return fill(folder, sources)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function fill(folder: string, { source, key }: Sources): AdminResult {
  const file = join(folder, BACKUP_FILE)
  copySqlite(source, file)
  const check = checkCopy(file)
  if (!check.ok) {
    rmSync(folder, { recursive: true, force: true })
    return { ok: false, text: `The copy is not sound (${check.problem}), and was removed. Look at ${source} itself.` }
  }
  if (key !== null) copyKey(key, join(folder, KEY_FILE))
  syncToDisk(folder)
  syncToDisk(dirname(folder))
  const { schema, executions } = check
  const { size: bytes } = statSync(file)
  return { ok: true, text: JSON.stringify({ backup: folder, bytes, schema, executions, masterKey: key !== null }) }
}

/** Copies a master key for its owner's eyes only. */
export function copyKey(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  syncToDisk(to)
}

// False where it is there: what lies in it may be somebody's only backup.
function makeFolder(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (isAlreadyThere(error)) return false
    throw error
  }
}
