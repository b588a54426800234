import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, sql } from 'kysely'
import type { PoolUse } from '../telemetry/metrics.ts'
import { migrate } from './migrations.ts'
import { openPostgres, openPostgresUnlimited, type PostgresPool } from './postgres.ts'
import type { Schema } from './schema.ts'
import { createSqliteDialect } from './sqlite-driver.ts'

export type DatabaseOptions =
  | { engine: 'sqlite'; file: string; onError(error: unknown): void }
  | { engine: 'postgres'; url: string; onError(error: unknown): void }

export type Engine = DatabaseOptions['engine']

/** An open database whose schema is the newest. */
export interface Database {
  readonly engine: Engine
  readonly db: Kysely<Schema>
  /** How many of its connections are in use; null where there is no pool. */
  readonly pool: (() => PoolUse) | null
  /** Waits for the transactions under way. */
  close(): Promise<void>
}

/**
 * Opens the database, makes the SQLite file where there is none, and applies missing migrations. `onError` hears of
 * faults that belong to no query; they never end the process. Rejects where the database cannot be reached.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { engine } = options
  const { db, pool } = engine === 'sqlite' ? { db: await openSqlite(options), pool: null } : await openMigrated(options)
  return { engine, db, pool, close: () => db.destroy() }
}

async function openSqlite(options: Extract<DatabaseOptions, { engine: 'sqlite' }>): Promise<Kysely<Schema>> {
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 })
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(options) })
  await orDestroy(db, migrate(db, 'sqlite'))
  return db
}

async function openMigrated(options: Extract<DatabaseOptions, { engine: 'postgres' }>): Promise<PostgresPool> {
  const { db: migrating } = openPostgresUnlimited(options)
  await orDestroy(migrating, migrate(migrating, 'postgres'))
  await migrating.destroy()
  const opened = openPostgres(options)
  // Kysely closes only what has been used, and a fault of the pool's settings is better found now.
  await orDestroy(opened.db, sql`select 1`.execute(opened.db))
  return opened
}

async function orDestroy(db: Kysely<Schema>, opening: Promise<unknown>): Promise<void> {
  try {
    await opening
  } catch (error) {
    await db.destroy()
    throw error
  }
}
