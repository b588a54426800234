import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { EFFECT_TABLE_SQL, NONCE_TABLE_SQL } from '@svc/sdk'
import Database from 'better-sqlite3'
import { seed } from './seed.ts'

export interface Store {
  database: Database.Database
  /** Milliseconds since the epoch. */
  now(): number
}

/** Opens the help desk’s database, a path or `:memory:`. A new one gets its articles and two users. */
export function openStore(file: string, now: () => number = Date.now): Store {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  const database = new Database(file, { timeout: 5000 })
  database.pragma('journal_mode = WAL')
  // Immediate: Next loads pages and routes apart, and each may be the first one to open a new file.
  database.transaction(() => prepare(database)).immediate()
  return { database, now }
}

function prepare(database: Database.Database): void {
  if (database.pragma('user_version', { simple: true }) === 1) return
  // The SDK’s tables: nonces and outcomes of calls, for any number of copies of the functions.
  for (const tables of [TABLES, EFFECT_TABLE_SQL, NONCE_TABLE_SQL]) database.exec(tables)
  seed(database)
  database.pragma('user_version = 1')
}

const TABLES = `
  CREATE VIRTUAL TABLE articles USING fts5 (slug UNINDEXED, title, body, tokenize = 'porter unicode61');
  CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL
  );
  CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id),
    purpose TEXT NOT NULL CHECK (purpose IN ('page', 'chat')),
    page_hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  );
  CREATE TABLE tickets (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    subject TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'answered', 'closed')),
    opened_at INTEGER NOT NULL
  );
`
