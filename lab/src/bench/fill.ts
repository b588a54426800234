import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import type { Store } from '../support/store.ts'
import { CLEARING, callRows, executionRows, type Fill, preparing, ROLL_UPS } from './fill-sql.ts'

/** Writes a history into a store whose schema is there and which no server has open. */
export function fillHistory(store: Store, fill: Omit<Fill, 'engine'>): Promise<void> {
  return store.engine === 'sqlite'
    ? fillSqlite(store, { ...fill, engine: 'sqlite' })
    : fillPostgres(store, { ...fill, engine: 'postgres' })
}

const TABLES = ['executions', 'capability_calls'] as const

async function fillSqlite(store: Store, fill: Fill): Promise<void> {
  const database = new SqliteDatabase(join(store.location, 'svc.db'))
  try {
    database.pragma('synchronous = off')
    database.pragma('cache_size = -262144')
    const indexes = database
      .prepare<unknown[], { name: string; sql: string }>(
        `select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (?, ?)`,
      )
      .all(...TABLES)
    database.transaction(() => {
      for (const statement of preparing(fill)) database.exec(statement)
      for (const { name } of indexes) database.exec(`drop index ${name}`)
      database.exec(executionRows(fill))
      database.exec(callRows(fill))
      for (const { sql } of indexes) database.exec(sql)
      for (const statement of [...ROLL_UPS, ...CLEARING]) database.exec(statement)
    })()
    database.pragma('wal_checkpoint(truncate)')
  } finally {
    database.close()
  }
}

interface TableKeys {
  table: string
  drops: string[]
  adds: string[]
}

async function fillPostgres(store: Store, fill: Fill): Promise<void> {
  const [first, second] = [await connect(store.location), await connect(store.location)]
  try {
    for (const statement of preparing(fill)) await first.query(statement)
    const [executions, calls] = [await readKeys(first, TABLES[0]), await readKeys(first, TABLES[1])]
    await first.query('analyze filled_slots; analyze filled_durations')
    await Promise.all([replaceRows(first, executions, executionRows(fill)), replaceRows(second, calls, callRows(fill))])
    for (const statement of [...ROLL_UPS, ...CLEARING]) await first.query(statement)
    await Promise.all([first.query('vacuum analyze executions'), second.query('vacuum analyze capability_calls')])
    await first.query('vacuum analyze')
    await first.query('checkpoint')
  } finally {
    await Promise.all([first.end(), second.end()])
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set synchronous_commit = off`)
  return client
}

/** Every key and index of a table, as statements that drop it and make it again. */
async function readKeys(client: pg.Client, table: string): Promise<TableKeys> {
  const { rows: constraints } = await client.query<{ name: string; definition: string }>(
    `select conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u')`,
    [table],
  )
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    'select indexname as name, indexdef as definition from pg_indexes where tablename = $1',
    [table],
  )
  const others = indexes.filter(({ name }) => !constraints.some((constraint) => constraint.name === name))
  return {
    table,
    drops: [
      ...constraints.map(({ name }) => `alter table ${table} drop constraint ${name}`),
      ...others.map(({ name }) => `drop index ${name}`),
    ],
    adds: [
      ...constraints.map(({ name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
      ...others.map(({ definition }) => definition),
    ],
  }
}

// Truncated in the same transaction: with wal_level = minimal, neither rows nor indexes go through the log.
async function replaceRows(client: pg.Client, keys: TableKeys, insert: string): Promise<void> {
  await client.query('begin')
  await client.query(`truncate ${keys.table}`)
  for (const statement of [...keys.drops, insert, ...keys.adds]) await client.query(statement)
  await client.query('commit')
}
