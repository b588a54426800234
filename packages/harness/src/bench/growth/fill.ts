import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import type { Store } from '../../support/store.ts'
import { CLEARING, executionRows, type Fill, preparing, ROLL_UPS } from './fill-sql.ts'

/** Writes a history into a store whose schema is there and which no server has open. */
export function fillHistory(store: Store, fill: Omit<Fill, 'engine'>): Promise<void> {
  return store.engine === 'sqlite'
    ? fillSqlite(store, { ...fill, engine: 'sqlite' })
    : fillPostgres(store, { ...fill, engine: 'postgres' })
}

async function fillSqlite(store: Store, fill: Fill): Promise<void> {
  const database = new SqliteDatabase(join(store.location, 'svc.db'))
  try {
    database.pragma('synchronous = off')
    database.pragma('cache_size = -262144')
    const indexes = database
      .prepare<unknown[], { name: string; sql: string }>(
        `select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name = 'executions'`,
      )
      .all()
    database.transaction(() => {
      for (const statement of preparing(fill)) database.exec(statement)
      for (const { name } of indexes) database.exec(`drop index ${name}`)
      database.exec(executionRows(fill))
      for (const { sql } of indexes) database.exec(sql)
      for (const statement of [...ROLL_UPS, ...CLEARING]) database.exec(statement)
    })()
    database.pragma('wal_checkpoint(truncate)')
  } finally {
    database.close()
  }
}

async function fillPostgres(store: Store, fill: Fill): Promise<void> {
  const client = await connect(store.location)
  try {
    for (const statement of preparing(fill)) await client.query(statement)
    const keys = await readKeys(client)
    await client.query('analyze filled_slots; analyze filled_durations')
    await replaceRows(client, keys, executionRows(fill))
    for (const statement of [...ROLL_UPS, ...CLEARING]) await client.query(statement)
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set synchronous_commit = off`)
  return client
}

interface Keys {
  drops: string[]
  adds: string[]
}

/** Every key and index of the executions, as statements that drop it and make it again. */
async function readKeys(client: pg.Client): Promise<Keys> {
  const { rows: constraints } = await client.query<{ name: string; definition: string }>(
    `select conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where conrelid = 'executions'::regclass and contype in ('p', 'u')`,
  )
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where tablename = 'executions'`,
  )
  const others = indexes.filter(({ name }) => !constraints.some((constraint) => constraint.name === name))
  return {
    drops: [
      ...constraints.map(({ name }) => `alter table executions drop constraint ${name}`),
      ...others.map(({ name }) => `drop index ${name}`),
    ],
    adds: [
      ...constraints.map(({ name, definition }) => `alter table executions add constraint ${name} ${definition}`),
      ...others.map(({ definition }) => definition),
    ],
  }
}

// Truncated in the same transaction: with wal_level = minimal, neither rows nor indexes go through the log.
async function replaceRows(client: pg.Client, { drops, adds }: Keys, insert: string): Promise<void> {
  await client.query('begin')
  await client.query('truncate executions')
  for (const statement of [...drops, insert, ...adds]) await client.query(statement)
  await client.query('commit')
}
