import { Kysely, PostgresDialect, type PostgresPoolClient, SelectQueryNode } from 'kysely'
import pg from 'pg'
import type { PoolUse } from '../telemetry/metrics.ts'
import { noteWithoutEffect, removePrivateFields } from './errors.ts'
import { PreparedClient } from './prepared-client.ts'
import type { Schema } from './schema.ts'

export interface PostgresOptions {
  url: string
  /** Hears of connections that broke while they were idle, or between two queries of a transaction. */
  onError(error: unknown): void
}

const TIME_LIMITS = {
  statement_timeout: 5_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 10_000,
  // Ours, and the last to strike: of a server that has gone silent nothing is heard, not even that it gave up. Whoever
  // comes behind such a statement waits for it, for a connection in its place, and for one of his own: under ten seconds.
  query_timeout: 5_500,
} satisfies pg.PoolConfig

const DURABLE = '-c synchronous_commit=on'

// Every question has its index. Plans are kept, and one made while a table was empty must suit the table when it is full.
const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off'

export interface PostgresPool {
  db: Kysely<Schema>
  pool(): PoolUse
}

/** PostgreSQL over a pool of ten connections. Whole numbers arrive as numbers, sums of them too. */
export function openPostgres(options: PostgresOptions): PostgresPool {
  return connect(options, { ...TIME_LIMITS, max: 10 })
}

/**
 * One connection without time limits, those of its role or database included, for migrations: another replica's may have
 * to be waited for.
 */
export function openPostgresUnlimited(options: PostgresOptions): PostgresPool {
  return connect(options, { max: 1, options: `${DURABLE} -c statement_timeout=0 -c lock_timeout=0` })
}

function connect({ url, onError }: PostgresOptions, limits: pg.PoolConfig): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
    // Statements of one transaction that do not wait for each other's answers share a round trip.
    pipeline: true,
    application_name: 'svc',
    options: `${DURABLE} ${BY_INDEX}`,
    types: numberTypes(),
    ...limits,
  })
  reportErrors(pool, onError)
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: { connect: lendFresh(pool), end: () => pool.end() } }),
    log: (event) => {
      if (event.level !== 'error') return
      removePrivateFields(event.error)
      if (SelectQueryNode.is(event.query.query)) noteWithoutEffect(event.error)
    },
  })
  const use = () => ({
    used: pool.totalCount - pool.idleCount,
    waiting: pool.waitingCount,
    maximum: pool.options.max,
  })
  return { db, pool: use }
}

/**
 * Lends connections of a pool. Once one of them is not answered, those that are as old are closed instead: each would be
 * waited for in vain.
 */
function lendFresh(pool: pg.Pool): () => Promise<PostgresPoolClient> {
  const naming = { isOn: true }
  const madeIn = new WeakMap<pg.ClientBase, number>()
  let era = 0
  pool.on('connect', (client) => madeIn.set(client, era))
  return async () => {
    for (;;) {
      const client = await pool.connect().catch((error: unknown) => {
        noteWithoutEffect(error)
        throw error
      })
      // One that is to be closed anyway says nothing of those that were made since.
      const onUnanswered = () => {
        if (madeIn.get(client) === era) era += 1
      }
      if (madeIn.get(client) === era) return new PreparedClient(client, naming, onUnanswered)
      client.release(true)
    }
  }
}

/** The pool's own: the library's global table of types belongs to the whole process. */
function numberTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.NUMERIC, Number)
  return types
}

/** Without a listener an `error` event ends the process, and the pool listens to its idle clients only. */
function reportErrors(pool: pg.Pool, onError: PostgresOptions['onError']): void {
  const reported = new WeakSet<Error>()
  const report = (error: Error) => {
    // Heard twice from an idle client, and the pool puts the client into it in between.
    removePrivateFields(error)
    if (reported.has(error) || pool.ending) return
    reported.add(error)
    onError(error)
  }
  pool.on('error', report)
  pool.on('connect', (client) => client.on('error', report))
}
