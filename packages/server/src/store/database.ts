import { Kysely, sql } from 'kysely'
import type { PoolUse } from '../telemetry/metrics.ts'
import { migrate } from './migrations.ts'
import { openPostgres, openPostgresForMigrations } from './postgres/pool.ts'
import type { Db, Schema } from './schema.ts'
import { createSqliteDialect } from './sqlite/driver.ts'

export type DatabasePlace =
  | { engine: 'sqlite'; file: string }
  | { engine: 'postgres'; url: string; isDurable?: boolean }

export type DatabaseOptions = DatabasePlace & {
  /** Receives errors that belong to no query. */
  onError(error: unknown): void
}

export type Engine = DatabaseOptions['engine']

/** An open database with the newest schema. */
export interface Database {
  readonly engine: Engine
  readonly db: Db
  /** Null where there is no connection pool. */
  readonly pool: (() => PoolUse) | null
  /** Waits for open transactions. */
  close(): Promise<void>
}

/** Opens the database, creates the SQLite file where it is missing, and applies missing migrations. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { engine } = options
  const { db, pool } = engine === 'sqlite' ? await openSqlite(options) : await openPostgresMigrated(options)
  return { engine, db, pool, close: () => db.destroy() }
}

type Opened = Pick<Database, 'db' | 'pool'>

async function openSqlite(options: Parameters<typeof createSqliteDialect>[0]): Promise<Opened> {
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(options) })
  await destroyOnError(db, migrate(db, 'sqlite'))
  return { db, pool: null }
}

async function openPostgresMigrated(options: Parameters<typeof openPostgres>[0]): Promise<Opened> {
  const { db: migrating } = openPostgresForMigrations(options)
  await destroyOnError(migrating, migrate(migrating, 'postgres'))
  await migrating.destroy()
  const opened = openPostgres(options)
  // Connects now, so that wrong settings of the pool fail here. Kysely closes only what has been used.
  await destroyOnError(opened.db, sql`select 1`.execute(opened.db))
  return opened
}

async function destroyOnError(db: Db, opening: Promise<unknown>): Promise<void> {
  try {
    await opening
  } catch (error) {
    await db.destroy()
    throw error
  }
}
