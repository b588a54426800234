import type { Clock } from '../clock.ts'
import { EffectStoreFullError } from '../errors.ts'
import { SHARED_CLOCKS_MS } from '../nonces/nonce-store.ts'
import { type SqlDatabase, type SqlDialect, sqlRunner } from '../nonces/sql-runner.ts'
import { type EffectBounds, type EffectStore, effectBounds } from './effect-store.ts'

/** Makes the table of {@link createSqlEffectStore}, where it is not there; for PostgreSQL and SQLite alike. */
export const EFFECT_TABLE_SQL = `create table if not exists svc_effects (id text primary key, record text not null, expires_at bigint not null);
create index if not exists svc_effects_expires_at on svc_effects (expires_at);`

export interface SqlEffectStoreOptions extends EffectBounds {
  /** Default: `postgres` for a database with `query()`, `sqlite` for one with `prepare()`. */
  readonly dialect?: SqlDialect | undefined
  readonly clock?: Clock | undefined
  /**
   * Rows of the table past which calls are refused with {@link EffectStoreFullError}. They are counted every ten seconds, so
   * that the table can grow past it by the calls of that time. Default 1,000,000.
   */
  readonly maxEntries?: number | undefined
}

const SWEEP_INTERVAL_MS = 10_000
const SWEEP_ROWS = 1_000
const BEGIN_TRIES = 3

/**
 * An effect store that any number of processes share, in the table of {@link EFFECT_TABLE_SQL}: one insert and one update per
 * call. Where the database does not answer, calls are refused. What has expired is deleted in passing, 1,000 rows at a time.
 * @example
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 * await pool.query(EFFECT_TABLE_SQL)
 * defineRuntime({ capabilities: [refund], effects: createSqlEffectStore(pool) })
 */
export function createSqlEffectStore(database: SqlDatabase, options: SqlEffectStoreOptions = {}): EffectStore {
  const { clock = Date, maxEntries = 1_000_000 } = options
  const bounds = effectBounds(options)
  const { dialect, run } = sqlRunner(database, options.dialect, 'createSqlEffectStore')
  const { insert, upsert, select, sweep, count } = STATEMENTS[dialect]
  let sweptAt = Number.NEGATIVE_INFINITY
  let isFull = false

  const expiry = () => Math.ceil(clock.now() + bounds.lifetimeMs + SHARED_CLOCKS_MS)

  async function read(key: string): Promise<string | null> {
    return textIn(await run(select, [key]), 'record')
  }

  // A failed sweep fails no call: the next one deletes what is left over.
  async function sweepInPassing(): Promise<void> {
    const now = clock.now()
    if (Math.abs(now - sweptAt) < SWEEP_INTERVAL_MS) return
    sweptAt = now
    const deleted = await run(sweep, [now]).catch(() => [])
    if (deleted.length === SWEEP_ROWS) sweptAt = Number.NEGATIVE_INFINITY
    isFull = (await run(count, [maxEntries - 1]).catch(() => [])).length >= 1
  }

  // A key that is remembered already needs no room.
  async function whenFull(key: string): Promise<string> {
    const earlier = await read(key)
    if (earlier !== null) return earlier
    throw new EffectStoreFullError(`The table svc_effects has ${maxEntries} rows already.`)
  }

  return {
    ...bounds,
    read,
    async begin(key, record) {
      await sweepInPassing()
      if (isFull) return whenFull(key)
      // An earlier record may expire between the two statements.
      for (let attempt = 0; attempt < BEGIN_TRIES; attempt += 1) {
        if (textIn(await run(insert, [key, record, expiry()]), 'id') !== null) return null
        const earlier = await read(key)
        if (earlier !== null) return earlier
      }
      throw new Error('The database neither took the record of the call nor has one.')
    },
    async end(key, record) {
      if (textIn(await run(upsert, [key, record, expiry()]), 'id') !== null) return
      throw new TypeError('The database did not answer that it stored the record.')
    },
  }
}

// Nothing but one row of the right form, or none, counts: what is not understood must not let a call in.
function textIn(rows: readonly unknown[], column: 'id' | 'record'): string | null {
  if (rows.length === 0) return null
  const [row] = rows
  const value: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, column) : undefined
  if (rows.length === 1 && typeof value === 'string') return value
  throw new TypeError('The database answered by something other than the row: resolve to the rows, or to {rows}.')
}

interface Statements {
  readonly insert: string
  readonly upsert: string
  readonly select: string
  readonly sweep: string
  /** A row where the table has more rows than its parameter says, none otherwise. */
  readonly count: string
}

const STATEMENTS: Record<SqlDialect, Statements> = {
  postgres: statementsWith(['$1', '$2', '$3'], ' for update skip locked'),
  sqlite: statementsWith(['?', '?', '?'], ''),
}

function statementsWith([first, second, third]: readonly [string, string, string], skipping: string): Statements {
  const into = `insert into svc_effects (id, record, expires_at) values (${first}, ${second}, ${third}) on conflict (id)`
  return {
    insert: `${into} do nothing returning id`,
    upsert: `${into} do update set record = excluded.record returning id`,
    select: `select record from svc_effects where id = ${first}`,
    sweep: `delete from svc_effects where id in (select id from svc_effects where expires_at <= ${first}
      order by expires_at limit ${SWEEP_ROWS}${skipping}) returning id`,
    count: `select id from svc_effects order by id limit 1 offset ${first}`,
  }
}
