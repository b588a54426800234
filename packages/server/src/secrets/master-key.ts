import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type MasterKeys = [Buffer, ...Buffer[]]

const KEY_BYTES = 32

/** Parses a comma-separated list of base64 keys. Throws where one has not 32 bytes. */
export function parseMasterKeys(ring: string): MasterKeys {
  const [first, ...rest] = ring.split(',').map((entry) => parseMasterKey(entry.trim()))
  if (!first) throw new Error('SVC_MASTER_KEY is empty.')
  return [first, ...rest]
}

/**
 * The master key in `master.key` of the data folder, a file with mode 0600 that is created before the database. Throws where
 * the database exists without it: no stored hash or secret would match a new key.
 */
export function masterKeyOfFolder(folder: string, databaseFile: string): MasterKeys {
  const file = join(folder, 'master.key')
  // In this order: the database of a concurrent first start comes after its key.
  if (!existsSync(databaseFile)) createKeyFile(file)
  else if (!existsSync(file)) {
    throw new Error(
      `${databaseFile} is there, and its master key is not. Restore ${file}, or set SVC_MASTER_KEY if the key was set there.`,
    )
  }
  return readKeyFile(file)
}

function createKeyFile(file: string): void {
  try {
    // “wx” fails where a concurrent start has created the file. Flushed, so that the key is on the disk before what is
    // sealed under it.
    writeFileSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if (!isAlreadyThere(error)) throw error
  }
}

function readKeyFile(file: string): MasterKeys {
  const text = readFileSync(file, 'utf8').trim()
  try {
    return parseMasterKeys(text)
  } catch (cause) {
    throw new Error(`${file} does not hold a master key. Restore it: what is stored cannot be read without it.`, {
      cause,
    })
  }
}

function parseMasterKey(entry: string): Buffer {
  const key = Buffer.from(entry, 'base64')
  if (key.length === KEY_BYTES) return key
  throw new Error('SVC_MASTER_KEY: each key must be 32 bytes in base64, as “openssl rand -base64 32” prints them.')
}

export function isAlreadyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
