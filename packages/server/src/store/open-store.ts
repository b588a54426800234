import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { placeOf } from '../lib/place-of.ts'
import { makeFilesPrivate, makePrivateFolder } from '../lib/private-files.ts'
import { createKeyring, type Keyring } from '../secrets/keyring.ts'
import { type MasterKeys, masterKeyOfFolder } from '../secrets/master-key.ts'
import { checkMasterKey } from './check-master-key.ts'
import { type Database, type DatabasePlace, openDatabase } from './database.ts'
import { DatabaseError, isConnectionFault, isRefusedLogin } from './errors.ts'

const DATA_FILES = /^(svc\.db|server\.lock|master\.key|disk\.reserve)/

export function databaseFile(folder: string): string {
  return resolve(join(folder, 'svc.db'))
}

/** Opens the configured database and the keyring for its secrets. Throws where the master key is not the database's. */
export async function openStore(
  config: Pick<Config, 'store' | 'masterKeys'>,
  context: { onFatal: (error: unknown) => void; onFault: (error: unknown) => void },
): Promise<{ database: Database; keyring: Keyring }> {
  const onError = (error: unknown) => {
    context.onFault(error)
    // A thread of SQLite that ended is not started again: that takes a new process.
    if (error instanceof DatabaseError && error.code === 'SVC_DATABASE_ENDED') context.onFatal(error)
  }
  const { place, masterKeys } = locate(config)
  const database = await openDatabase({ ...place, onError }).catch((error) => failToOpen(place, error))
  const keyring = createKeyring(masterKeys)
  try {
    await checkMasterKey(database.db, keyring)
    return { database, keyring }
  } catch (error) {
    await database.close()
    throw error
  }
}

function failToOpen(place: DatabasePlace, error: unknown): never {
  const { message, code } = error as Error & { code?: string }
  const isAway = isConnectionFault(error) || isRefusedLogin(error) || code === 'ENOENT'
  if (place.engine === 'sqlite' || !isAway) throw error
  // Node gives no message where a name has several addresses and each refused.
  const problem = message || code
  throw new Error(`PostgreSQL at ${placeOf(place.url)} could not be opened (DATABASE_URL): ${problem}`, {
    cause: error,
  })
}

function locate({ store, masterKeys }: Pick<Config, 'store' | 'masterKeys'>): {
  place: DatabasePlace
  masterKeys: MasterKeys
} {
  if (store.engine === 'postgres') {
    if (!masterKeys) throw new Error('SVC_MASTER_KEY is required with PostgreSQL.')
    return { place: { engine: 'postgres', url: store.url }, masterKeys }
  }
  const file = databaseFile(store.folder)
  makePrivateFolder(store.folder)
  makeFilesPrivate(store.folder, DATA_FILES)
  return { place: { engine: 'sqlite', file }, masterKeys: masterKeys ?? masterKeyOfFolder(store.folder, file) }
}
