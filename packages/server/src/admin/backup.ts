import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isAlreadyThere } from '../secrets/master-key.ts'
import { databaseFile } from '../store/open-store.ts'
import { backUpSqlite, checkBackup, syncToDisk } from '../store/sqlite/backup.ts'
import { CommandError } from './command-error.ts'
import type { AdminCommand } from './parse-command.ts'

export const BACKUP_FILE = 'svc.db'
export const KEY_FILE = 'master.key'

type BackupOptions = Omit<Extract<AdminCommand, { name: 'backup' }>, 'name'>

/**
 * Copies the embedded store into a new folder, beside a running server or without one. Leaves nothing where it fails. With the
 * database the key opens everything, so it is copied only on request.
 */
export function backUp(dataFolder: string, { to, 'with-master-key': withMasterKey }: BackupOptions): object {
  const source = databaseFile(dataFolder)
  const key = join(dataFolder, KEY_FILE)
  if (!existsSync(source)) throw new CommandError(`There is no database at ${source}. Set SVC_DATA_DIR.`)
  if (withMasterKey && !existsSync(key)) {
    throw new CommandError(`There is no ${resolve(key)}: the master key is in SVC_MASTER_KEY. Keep a copy of that.`)
  }
  const folder = resolve(to)
  try {
    makeFolder(folder)
    try {
      return fill(folder, source, withMasterKey ? key : null)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const problem = error instanceof Error ? error.message : String(error)
    throw new CommandError(`The backup could not be written to ${folder}: ${problem}`)
  }
}

function fill(folder: string, source: string, key: string | null): object {
  const file = join(folder, BACKUP_FILE)
  backUpSqlite(source, file)
  const check = checkBackup(file)
  if (!check.ok) {
    throw new CommandError(`The copy is not sound (${check.problem}), and was removed. Look at ${source} itself.`)
  }
  if (key !== null) copyKey(key, join(folder, KEY_FILE))
  syncToDisk(folder)
  syncToDisk(dirname(folder))
  const { schema, executions } = check
  return { backup: folder, bytes: statSync(file).size, schema, executions, masterKey: key !== null }
}

/** Copies a master key so that its owner alone can read it. */
export function copyKey(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  syncToDisk(to)
}

function makeFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // It may hold somebody's only backup.
    if (isAlreadyThere(error))
      throw new CommandError(`${folder} is there already: give each backup a folder of its own.`)
    throw error
  }
}
