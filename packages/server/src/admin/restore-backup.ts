import { chmodSync, constants, copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { databaseFile } from '../store/open-store.ts'
import { type BackupCheck, checkBackup, syncToDisk } from '../store/sqlite/backup.ts'
import { LOCK_FILE, lockDataFolder } from '../store/sqlite/folder-lock.ts'
import { BACKUP_FILE, copyKey, KEY_FILE } from './backup.ts'
import { CommandError } from './command-error.ts'

interface RestoreOptions {
  from: string
  /** Whether SVC_MASTER_KEY is set: the backup may lack the key. */
  hasMasterKeys: boolean
}

const PROBLEMS: Readonly<Record<Extract<BackupCheck, { ok: false }>['problem'], string>> = {
  damaged: 'is damaged, or no database at all.',
  foreign: 'is a database, and not one of this service.',
  newer: 'was made by a newer version of the service. Restore it with that one.',
}

/** Puts a backup into an empty or new data folder. Overwrites nothing. */
export function restoreBackup(dataFolder: string, { from, hasMasterKeys }: RestoreOptions): object {
  const source = join(resolve(from), BACKUP_FILE)
  if (!existsSync(source)) throw new CommandError(`There is no ${source}: --from must be a folder that backup made.`)
  // Files of a running server, copied: without its log the database lacks the newest commits.
  if (existsSync(`${source}-wal`)) {
    throw new CommandError(`${source} was copied from a running server. Take one that backup made.`)
  }
  const folder = resolve(dataFolder)
  const lock = lockDataFolder(folder)
  try {
    const found = readdirSync(folder).filter((name) => !name.startsWith(LOCK_FILE))
    if (found.length > 0) {
      throw new CommandError(`${folder} is not empty (${found[0]}). Set SVC_DATA_DIR to a new folder.`)
    }
    const { schema, executions, hasKey } = copyInto(folder, source)
    const masterKey = hasKey ? 'restored' : hasMasterKeys ? 'in SVC_MASTER_KEY' : 'missing'
    return { restored: folder, schema, executions, masterKey, ...(masterKey === 'missing' && { next: KEY_MISSING }) }
  } finally {
    lock.release()
  }
}

const KEY_MISSING = 'Put master.key into the folder, or set SVC_MASTER_KEY, before you start the server on it.'

function copyInto(folder: string, source: string) {
  const file = databaseFile(folder)
  const draft = `${file}.restoring`
  const key = join(source, '..', KEY_FILE)
  const hasKey = existsSync(key)
  try {
    copyFileSync(source, draft, constants.COPYFILE_EXCL)
    chmodSync(draft, 0o600)
    const check = checkBackup(draft)
    if (!check.ok) throw new CommandError(`${source} ${PROBLEMS[check.problem]}`)
    syncToDisk(draft)
    // The key first: a server refuses to start on a database without one.
    if (hasKey) copyKey(key, join(folder, KEY_FILE))
    renameSync(draft, file)
    syncToDisk(folder)
    return { ...check, hasKey }
  } finally {
    rmSync(draft, { force: true })
  }
}
