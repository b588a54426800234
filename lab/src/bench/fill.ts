import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import type { Store } from '../support/store.ts'
import { CLEARING, executionRows, type Fill, preparing, ROLL_UPS } from './fill-sql.ts'

interface Target {
  run(statement: string): Promise<unknown>
  /** Of executions, but for those of its keys. */
  indexes: readonly { name: string; definition: string }[]
  close(): Promise<unknown>
}

/** Writes a history into a store whose schema is there and which no server has open. */
export async function fillHistory(store: Store, given: Omit<Fill, 'engine'>): Promise<void> {
  const fill = { ...given, engine: store.engine }
  const { run, indexes, close } = await (store.engine === 'sqlite' ? openSqlite(store) : openPostgres(store))
  try {
    for (const statement of preparing(fill)) await run(statement)
    for (const { name } of indexes) await run(`drop index ${name}`)
    await run(executionRows(fill))
    for (const { definition } of indexes) await run(definition)
    for (const statement of [...ROLL_UPS, ...CLEARING]) await run(statement)
    await run(store.engine === 'sqlite' ? 'commit' : 'vacuum analyze')
  } finally {
    await close()
  }
}

async function openSqlite({ location }: Store): Promise<Target> {
  const database = new SqliteDatabase(join(location, 'svc.db'))
  database.exec('pragma synchronous = off; pragma cache_size = -262144; begin')
  const indexes = database
    .prepare<unknown[], Target['indexes'][number]>(
      `select name, sql as definition from sqlite_master
       where type = 'index' and sql is not null and tbl_name = 'executions'`,
    )
    .all()
  return { indexes, run: async (statement) => database.exec(statement), close: async () => database.close() }
}

async function openPostgres({ location }: Store): Promise<Target> {
  const client = new pg.Client({ connectionString: location })
  await client.connect()
  await client.query(`set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set synchronous_commit = off`)
  const { rows } = await client.query<Target['indexes'][number]>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'executions' and indexname not in (select conname from pg_constraint)`,
  )
  return { indexes: rows, run: (statement) => client.query(statement), close: () => client.end() }
}
