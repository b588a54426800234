import type { Clock } from '../clock.ts'
import { type NonceStore, SHARED_CLOCKS_MS } from './nonce-store.ts'
import { type SqlDatabase, type SqlDialect, sqlRunner } from './sql-runner.ts'

/** Makes the table of {@link createSqlNonceStore}, where it is not there; for PostgreSQL and SQLite alike. */
export const NONCE_TABLE_SQL = `create table if not exists svc_nonces (nonce text primary key, expires_at bigint not null);
create index if not exists svc_nonces_expires_at on svc_nonces (expires_at);`

export interface SqlNonceStoreOptions {
  /** Default: `postgres` for a database with `query()`, `sqlite` for one with `prepare()`. */
  readonly dialect?: SqlDialect | undefined
  readonly clock?: Clock | undefined
}

const SWEEP_INTERVAL_MS = 10_000
const SWEEP_ROWS = 1_000

/**
 * A nonce store that any number of servers share, in the table of {@link NONCE_TABLE_SQL}: one insert per call. Where the
 * database does not answer, calls are refused. What has expired is deleted in passing, 1,000 rows at a time.
 * @example
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 * await pool.query(NONCE_TABLE_SQL)
 * createHandler({ runtime, runtimeId, secret, nonceStore: createSqlNonceStore(pool) })
 */
export function createSqlNonceStore(database: SqlDatabase, options: SqlNonceStoreOptions = {}): NonceStore {
  const { clock = Date } = options
  const { dialect, run } = sqlRunner(database, options.dialect, 'createSqlNonceStore')
  const { insert, sweep } = STATEMENTS[dialect]
  let sweptAt = Number.NEGATIVE_INFINITY
  let forgottenUpTo = Number.NEGATIVE_INFINITY

  // Nobody’s call fails for it: whatever is left over is deleted the next time.
  async function sweepInPassing(now: number): Promise<void> {
    sweptAt = now
    const deleted = await run(sweep, [now]).catch(() => [])
    if (deleted.length > 0) forgottenUpTo = Math.max(forgottenUpTo, ...deleted.map(expiryOf))
    if (deleted.length === SWEEP_ROWS) sweptAt = Number.NEGATIVE_INFINITY
  }

  return {
    async claim(nonce, expiresAt) {
      const now = clock.now()
      const keptUntil = Math.ceil(expiresAt + SHARED_CLOCKS_MS)
      // Written so that a clock that returns NaN refuses, and one set back does not let in what was forgotten.
      if (!(expiresAt > now && keptUntil > forgottenUpTo)) return false
      const isFirst = wasInserted(await run(insert, [nonce, keptUntil]), nonce)
      if (Math.abs(now - sweptAt) >= SWEEP_INTERVAL_MS) await sweepInPassing(now)
      return isFirst
    },
  }
}

// Nothing but the row itself, or none, counts: what is not understood must not let a call in.
function wasInserted(rows: readonly unknown[], nonce: string): boolean {
  if (rows.length === 0) return false
  const [row] = rows
  const isOurs = typeof row === 'object' && row !== null && 'nonce' in row && row.nonce === nonce
  if (rows.length === 1 && isOurs) return true
  throw new TypeError(
    'The database answered the insert by something other than the row: resolve to the rows, or to {rows}.',
  )
}

// A 64-bit integer comes as a string from some drivers.
function expiryOf(row: unknown): number {
  return typeof row === 'object' && row !== null && 'expires_at' in row ? Number(row.expires_at) : 0
}

const STATEMENTS: Record<SqlDialect, { insert: string; sweep: string }> = {
  // Rows that another server is deleting are skipped: two sweeps neither wait for each other nor deadlock.
  postgres: {
    insert: 'insert into svc_nonces (nonce, expires_at) values ($1, $2) on conflict (nonce) do nothing returning nonce',
    sweep: `delete from svc_nonces where nonce in (select nonce from svc_nonces where expires_at <= $1
      order by expires_at limit ${SWEEP_ROWS} for update skip locked) returning expires_at`,
  },
  sqlite: {
    insert: 'insert into svc_nonces (nonce, expires_at) values (?, ?) on conflict (nonce) do nothing returning nonce',
    sweep: `delete from svc_nonces where nonce in (select nonce from svc_nonces where expires_at <= ?
      order by expires_at limit ${SWEEP_ROWS}) returning expires_at`,
  },
}
