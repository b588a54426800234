import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { makeFilesPrivate, makePrivateFolder } from '../lib/private-files.ts'
import { createKeyring, type Keyring } from '../secrets/keyring.ts'
import { masterKeyOfFolder } from '../secrets/master-key.ts'
import { checkMasterKey } from './check-master-key.ts'
import { DatabaseError } from './errors.ts'
import { type Database, openDatabase } from './open.ts'

const DATA_FILES = /^(svc\.db|server\.lock|master\.key|disk\.reserve)/

export function databaseFile(folder: string): string {
  return resolve(join(folder, 'svc.db'))
}

/** Opens the configured database with the keyring that its secrets are sealed with. */
export async function openStore(
  config: Pick<Config, 'store' | 'masterKeys'>,
  context: { onFatal: (error: unknown) => void; onFault: (error: unknown) => void },
): Promise<{ database: Database; keyring: Keyring }> {
  const { store } = config
  const onError = (error: unknown) => {
    context.onFault(error)
    // The thread of the embedded store does not come back: a new process does.
    if (error instanceof DatabaseError && error.code === 'SVC_DATABASE_ENDED') context.onFatal(error)
  }
  if (store.engine === 'postgres') {
    if (!config.masterKeys) throw new Error('SVC_MASTER_KEY is required with PostgreSQL.')
    const database = await openDatabase({ engine: 'postgres', url: store.url, onError })
    return withKeyring(database, createKeyring(config.masterKeys))
  }
  makePrivateFolder(store.folder)
  makeFilesPrivate(store.folder, DATA_FILES)
  const masterKeys = config.masterKeys ?? masterKeyOfFolder(store.folder, databaseFile(store.folder))
  const database = await openDatabase({ engine: 'sqlite', file: databaseFile(store.folder), onError })
  return withKeyring(database, createKeyring(masterKeys))
}

async function withKeyring(database: Database, keyring: Keyring): Promise<{ database: Database; keyring: Keyring }> {
  try {
    await checkMasterKey(database.db, keyring)
    return { database, keyring }
  } catch (error) {
    await database.close()
    throw error
  }
}
