import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import { temporaryFolder } from './programs.ts'
import type { Engine, ScenarioContext } from './scenario.ts'

/** A connection of the lab's own, beside those of the servers. */
export interface Connection {
  /** The rows of a read. Parameters are written `?` on both engines, integers are numbers. */
  rows(sql: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Statements that change rows or tables. */
  run(sql: string): Promise<unknown>
}

/** A database of its own for one scenario. */
export interface Store {
  engine: Engine
  /** The environment variables of a server that uses it. */
  serverEnv: Readonly<Record<string, string>>
  /** The folder of SQLite, the URL of PostgreSQL. */
  location: string
  connect<T>(work: (connection: Connection) => Promise<T>, options?: { readonly: boolean }): Promise<T>
  /** The rows of one read, over a connection for it alone. */
  query: Connection['rows']
}

const DEFAULT_SERVER = 'postgres://postgres@127.0.0.1:5432'

/** Removed with the scenario. `SVC_TEST_DATABASE_URL` names another PostgreSQL server than the one on this machine. */
export async function createStore(context: ScenarioContext): Promise<Store> {
  const { engine, env, onEnd } = context
  if (engine === 'sqlite') return sqliteStoreIn(temporaryFolder(context))
  const server = env['SVC_TEST_DATABASE_URL'] ?? DEFAULT_SERVER
  const store = await createPostgresStore(server)
  const name = new URL(store.location).pathname.slice(1)
  onEnd(() => runOnServer(server, `drop database if exists ${name} with (force)`))
  return store
}

export function sqliteStoreIn(folder: string): Store {
  // A connection that only reads leaves a killed server’s write-ahead log to the next server.
  const connect: Store['connect'] = async (work, { readonly } = { readonly: false }) => {
    const database = new SqliteDatabase(join(folder, 'svc.db'), { readonly, timeout: 5_000 })
    const rows: Connection['rows'] = async (sql, parameters = []) =>
      database.prepare<unknown[], Record<string, unknown>>(sql).all(...parameters)
    return work({ rows, run: async (sql) => database.exec(sql) }).finally(() => database.close())
  }
  return storeOf('sqlite', folder, { SVC_DATA_DIR: folder }, connect)
}

/** A new database on a running PostgreSQL server, which stays there. */
export async function createPostgresStore(server: string): Promise<Store> {
  const name = `svc_lab_${randomBytes(8).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  await runOnServer(server, `create database ${name} template template0`)
  const serverEnv = { DATABASE_URL: url.href, SVC_MASTER_KEY: randomBytes(32).toString('base64') }
  return storeOf('postgres', url.href, serverEnv, (work) => connectToPostgres(url.href, work))
}

function storeOf(engine: Engine, location: string, serverEnv: Store['serverEnv'], connect: Store['connect']): Store {
  const query: Store['query'] = (sql, parameters) => connect(({ rows }) => rows(sql, parameters), { readonly: true })
  return { engine, location, serverEnv, connect, query }
}

async function runOnServer(server: string, statement: string): Promise<void> {
  await connectToPostgres(server, ({ run }) => run(statement))
}

const TYPES = new pg.TypeOverrides()
TYPES.setTypeParser(pg.types.builtins.INT8, Number)
TYPES.setTypeParser(pg.types.builtins.NUMERIC, Number)

async function connectToPostgres<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, types: TYPES })
  await client.connect()
  const rows: Connection['rows'] = async (sql, parameters = []) => {
    let index = 0
    const numbered = sql.replaceAll('?', () => `$${++index}`)
    return (await client.query<Record<string, unknown>>(numbered, [...parameters])).rows
  }
  return work({ rows, run: (sql) => client.query(sql) }).finally(() => client.end())
}
