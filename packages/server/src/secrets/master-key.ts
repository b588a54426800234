import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type MasterKeys = [Buffer, ...Buffer[]]

const KEY_BYTES = 32

/** Reads a comma-separated ring of base64 keys. Throws, naming the fix, when one is not 32 bytes. */
export function parseMasterKeys(ring: string): MasterKeys {
  const [first, ...rest] = ring.split(',').map((entry) => parseMasterKey(entry.trim()))
  if (!first) throw new Error('SVC_MASTER_KEY is empty.')
  return [first, ...rest]
}

/**
 * The embedded default's own master key, made before its database is: `master.key` in the data folder, for its owner's eyes
 * only. Throws where the database is there and the key is not: under another one nothing that was given out would be valid.
 */
export function masterKeyOfFolder(folder: string, databaseFile: string): MasterKeys {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'master.key')
  // Asked first: of two first starts the slower one may find the other's database, and then its key is there as well.
  const isFirstStart = !existsSync(databaseFile)
  if (isFirstStart) makeKeyFile(file)
  else if (!existsSync(file)) {
    throw new Error(
      `${databaseFile} is there, and its master key is not. Restore ${file}, or set SVC_MASTER_KEY if the key was set there.`,
    )
  }
  return readKeyFile(file)
}

function makeKeyFile(file: string): void {
  try {
    // “wx” lets one of two first starts win; the other reads what the winner wrote. Flushed, because nothing that is
    // sealed under a key may reach the disk before the key does.
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

/** True where something could not be made because it is there. */
export function isAlreadyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
