import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { EFFECT_TABLE_SQL } from '@svc/sdk'
import Database from 'better-sqlite3'
import { createTables } from './create-tables.ts'
import { seed } from './seed.ts'

export interface Store {
  /** Opened, and on the very first time filled, when it is first asked for. */
  readonly database: Database.Database
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newToken: () => string
  close(): void
}

export interface StoreOptions {
  /** A path, or `:memory:` for a shop that forgets. */
  databaseFile: string
  now?: () => number
  newToken?: () => string
}

/** The shop’s database. Nothing is touched on disk until it is used, so a module may create one at load. */
export function openStore({ databaseFile, now = Date.now, newToken = randomToken }: StoreOptions): Store {
  let opened: Database.Database | undefined
  return {
    now,
    newToken,
    get database() {
      opened ??= openDatabase(databaseFile, now)
      return opened
    },
    close() {
      opened?.close()
    },
  }
}

const SCHEMA_VERSION = 2

function openDatabase(file: string, now: () => number): Database.Database {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  const database = new Database(file, { timeout: 5000 })
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  // Immediate, so that of two processes that open a new file together only one fills it.
  database.transaction(() => prepare(database, now())).immediate()
  database.exec(EFFECT_TABLE_SQL)
  return database
}

function prepare(database: Database.Database, now: number): void {
  const version = database.pragma('user_version', { simple: true })
  if (version === SCHEMA_VERSION) return
  if (version !== 0) {
    throw new Error(`The shop database has schema version ${version}, expected ${SCHEMA_VERSION}: remove its file.`)
  }
  createTables(database)
  seed(database, now)
  database.pragma(`user_version = ${SCHEMA_VERSION}`)
}

function randomToken(): string {
  return randomBytes(32).toString('base64url')
}
