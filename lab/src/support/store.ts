import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import type { Engine, ScenarioContext } from './scenario.ts'

/** A database of its own for one scenario, and queries on it. */
export interface Store {
  engine: Engine
  /** The environment variables of a server that uses it. */
  serverEnv: Readonly<Record<string, string>>
  /** The folder of SQLite, the URL of PostgreSQL. */
  location: string
  /** Rows of a read, over a connection of the lab's own. Parameters are written `?` on both engines. */
  query(sql: string, parameters?: readonly (string | number)[]): Promise<Record<string, unknown>[]>
  /** One statement that changes rows beside the running servers. */
  change(sql: string): Promise<void>
}

const DEFAULT_SERVER = 'postgres://postgres@127.0.0.1:5432'

/** Removed with the scenario. `SVC_TEST_DATABASE_URL` names another PostgreSQL server than the one on this machine. */
export async function createStore({ engine, env, onEnd }: ScenarioContext): Promise<Store> {
  if (engine === 'sqlite') return createSqliteStore(onEnd)
  const server = env['SVC_TEST_DATABASE_URL'] ?? DEFAULT_SERVER
  const store = await createPostgresStore(server)
  const name = new URL(store.location).pathname.slice(1)
  onEnd(() => runOnServer(server, `drop database if exists ${name} with (force)`))
  return store
}

/** In a new folder, which is removed with the scenario. */
export function createSqliteStore(onEnd: ScenarioContext['onEnd']): Store {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lab-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStoreIn(folder)
}

export function sqliteStoreIn(folder: string): Store {
  return {
    engine: 'sqlite',
    serverEnv: { SVC_DATA_DIR: folder },
    location: folder,
    async query(sql, parameters = []) {
      const database = new SqliteDatabase(join(folder, 'svc.db'), { readonly: true, timeout: 5_000 })
      try {
        return database.prepare<unknown[], Record<string, unknown>>(sql).all(...parameters)
      } finally {
        database.close()
      }
    },
    async change(sql) {
      const database = new SqliteDatabase(join(folder, 'svc.db'), { timeout: 5_000 })
      try {
        database.exec(sql)
      } finally {
        database.close()
      }
    },
  }
}

/** A new database on a running PostgreSQL server, which stays there. */
export async function createPostgresStore(server: string): Promise<Store> {
  const name = `svc_lab_${randomBytes(8).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  await runOnServer(server, `create database ${name} template template0`)
  return {
    engine: 'postgres',
    serverEnv: { DATABASE_URL: url.href, SVC_MASTER_KEY: randomBytes(32).toString('base64') },
    location: url.href,
    async query(sql, parameters = []) {
      let index = 0
      const numbered = sql.replaceAll('?', () => `$${++index}`)
      return withClient(url.href, async (client) => {
        const { rows } = await client.query<Record<string, unknown>>(numbered, [...parameters])
        return rows
      })
    },
    change: (sql) => runOnServer(url.href, sql),
  }
}

async function runOnServer(server: string, statement: string): Promise<void> {
  await withClient(server, (client) => client.query(statement))
}

/** Runs work on a connection of its own. Integers are read as numbers. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.NUMERIC, Number)
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
