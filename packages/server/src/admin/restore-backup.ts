import { chmodSync, constants, copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Store } from '../config.ts'
import { type CopyCheck, checkCopy, syncToDisk } from '../database/copy-sqlite.ts'
import { LOCK_FILE, lockDataFolder } from '../database/folder-lock.ts'
import { databaseFile } from '../database/open-store.ts'
import type { AdminResult } from './admin-result.ts'
import { BACKUP_FILE, copyKey, KEY_FILE, NOT_WITH_POSTGRES } from './backup.ts'

interface RestoreOptions {
  store: Store
  from: string
  /** Whether SVC_MASTER_KEY holds the key that the backup may lack. */
  hasMasterKeys: boolean
}

const PROBLEMS: Readonly<Record<Extract<CopyCheck, { ok: false }>['problem'], string>> = {
  damaged: 'is damaged, or no database at all.',
  foreign: 'is a database, and not one of this service.',
  newer: 'was made by a newer version of the service. Restore it with that one.',
}

/** Puts a backup into an empty or new data folder. Nothing that is there is ever overwritten. */
export function restoreBackup({ store, from, hasMasterKeys }: RestoreOptions): AdminResult {
  if (store.engine === 'postgres') return { ok: false, text: NOT_WITH_POSTGRES }
  const source = join(resolve(from), BACKUP_FILE)
  const problem = sourceProblem(source)
  if (problem !== null) return { ok: false, text: problem }
  const folder = resolve(store.folder)
  const lock = lockDataFolder(folder)
  try {
    const found = readdirSync(folder).filter((name) => !name.startsWith(LOCK_FILE))
    if (found.length > 0) {
      return { ok: false, text: `${folder} is not empty (${found[0]}). Set SVC_DATA_DIR to a new folder.` }
    }
    return put({ source, folder, key: join(resolve(from), KEY_FILE), hasMasterKeys })
  } finally {
    lock.release()
  }
}

function sourceProblem(source: string): string | null {
  if (!existsSync(source)) return `There is no ${source}: --from must be a folder that backup made.`
  // Files of a running server, copied: without its log the database lacks the newest commits.
  if (existsSync(`${source}-wal`)) return `${source} was copied from a running server. Take one that backup made.`
  return null
}

interface Plan {
  source: string
  folder: string
  key: string
  hasMasterKeys: boolean
}

function put({ source, folder, key, hasMasterKeys }: Plan): AdminResult {
  const file = databaseFile(folder)
  const draft = `${file}.restoring`
  try {
    copyFileSync(source, draft, constants.COPYFILE_EXCL)
    chmodSync(draft, 0o600)
    const check = checkCopy(draft)
    if (!check.ok) return { ok: false, text: `${source} ${PROBLEMS[check.problem]}` }
    syncToDisk(draft)
    if (existsSync(key)) copyKey(key, join(folder, KEY_FILE))
    // The key first: a server that starts on a database without one refuses to.
    renameSync(draft, file)
    syncToDisk(folder)
    const { schema, executions } = check
    const masterKey = existsSync(key) ? 'restored' : hasMasterKeys ? 'in SVC_MASTER_KEY' : 'missing'
    const text = JSON.stringify({
      restored: folder,
      schema,
      executions,
      masterKey,
      ...(masterKey === 'missing' && HINT),
    })
    return { ok: true, text }
  } finally {
    rmSync(draft, { force: true })
  }
}

const HINT = { next: 'Put master.key into the folder, or set SVC_MASTER_KEY, before you start the server on it.' }
