import { Kysely, PostgresDialect, type PostgresPoolClient, SelectQueryNode } from 'kysely'
import pg from 'pg'
import type { PoolUse } from '../../telemetry/metrics.ts'
import { markNothingWritten, removePrivateFields } from '../errors.ts'
import type { Db, Schema } from '../schema.ts'
import { PreparedClient } from './prepared-client.ts'

export interface PostgresOptions {
  url: string
  /** False in tests, which never end the database server: no commit waits for its disk. */
  isDurable?: boolean
  /** Receives errors of connections that broke while idle, or between two queries of a transaction. */
  onError(error: unknown): void
}

const TIME_LIMITS = {
  statement_timeout: 5_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 10_000,
  // The client's own limit, for a server that does not answer at all. A caller that waits for such a statement, then for
  // a new connection and its own statement, waits for less than ten seconds.
  query_timeout: 5_500,
} satisfies pg.PoolConfig

// Every query has an index. PostgreSQL would keep a plan with a sequential scan that it made while a table was empty.
const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off'

/** PostgreSQL over a pool of ten connections. Integers and their sums are read as numbers. */
export function openPostgres(options: PostgresOptions) {
  return connect(options, { ...TIME_LIMITS, max: 10 })
}

/** One connection without time limits for migrations, which may wait for those of another replica. */
export function openPostgresForMigrations(options: PostgresOptions) {
  return connect(options, { max: 1, options: '-c statement_timeout=0 -c lock_timeout=0' })
}

function connect(
  { url, onError, isDurable = true }: PostgresOptions,
  { options = BY_INDEX, ...limits }: pg.PoolConfig,
): { db: Db; pool(): PoolUse } {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
    pipeline: true,
    application_name: 'svc',
    options: `-c synchronous_commit=${isDurable ? 'on' : 'off'} ${options}`,
    types: numberTypes(),
    ...limits,
  })
  reportErrors(pool, onError)
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: { connect: connectFresh(pool), end: () => pool.end() } }),
    log: (event) => {
      if (event.level !== 'error') return
      removePrivateFields(event.error)
      if (SelectQueryNode.is(event.query.query)) markNothingWritten(event.error)
    },
  })
  const use = () => ({ used: pool.totalCount - pool.idleCount, waiting: pool.waitingCount, maximum: pool.options.max })
  return { db, pool: use }
}

/** Takes connections from a pool. After a query timeout, those made before it are closed instead: they may be dead as well. */
function connectFresh(pool: pg.Pool): () => Promise<PostgresPoolClient> {
  const naming = { isOn: true }
  const generations = new WeakMap<pg.ClientBase, number>()
  let generation = 0
  pool.on('connect', (client) => generations.set(client, generation))
  return async () => {
    for (;;) {
      const client = await pool.connect().catch((error: unknown) => {
        markNothingWritten(error)
        throw error
      })
      const isFresh = () => generations.get(client) === generation
      const onTimeout = () => {
        if (isFresh()) generation += 1
      }
      if (isFresh()) return new PreparedClient(client, naming, onTimeout)
      client.release(true)
    }
  }
}

/** Parsers for this pool alone: the library's own table is global. */
function numberTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.NUMERIC, Number)
  return types
}

/** Listens to all clients: the pool itself listens to idle ones, and an `error` event without a listener ends the process. */
function reportErrors(pool: pg.Pool, onError: PostgresOptions['onError']): void {
  const reported = new WeakSet<Error>()
  const report = (error: Error) => {
    // An idle client emits an error, then the pool emits the same one, with the client as a field.
    removePrivateFields(error)
    if (reported.has(error) || pool.ending) return
    reported.add(error)
    onError(error)
  }
  pool.on('error', report)
  pool.on('connect', (client) => client.on('error', report))
}
