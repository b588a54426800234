import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { EFFECT_TABLE_SQL } from '@svc/sdk'
import Database from 'better-sqlite3'

export interface Store {
  database: Database.Database
  /** Milliseconds since the epoch. */
  now(): number
}

/** Opens the desk’s database, a path or `:memory:`, and makes its tables where they are not there. */
export function openStore(file: string, now: () => number = Date.now): Store {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  const database = new Database(file, { timeout: 5000 })
  database.pragma('journal_mode = WAL')
  database.exec(BOOKINGS)
  // The SDK writes the outcome of each call there, and reads it.
  database.exec(EFFECT_TABLE_SQL)
  return { database, now }
}

const BOOKINGS = `
  CREATE TABLE IF NOT EXISTS bookings (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL UNIQUE,
    room TEXT NOT NULL,
    arrival TEXT NOT NULL,
    departure TEXT NOT NULL CHECK (departure > arrival),
    adults INTEGER NOT NULL CHECK (adults > 0),
    children INTEGER NOT NULL CHECK (children >= 0),
    name TEXT NOT NULL,
    email TEXT NOT NULL COLLATE NOCASE,
    phone TEXT,
    total_cents INTEGER NOT NULL,
    cancelled_at INTEGER
  );
  CREATE INDEX IF NOT EXISTS bookings_of_rooms ON bookings (room, departure) WHERE cancelled_at IS NULL;
  INSERT INTO sqlite_sequence (name, seq) SELECT 'bookings', 1000 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence);
`
