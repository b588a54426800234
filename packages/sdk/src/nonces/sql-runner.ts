/** Which SQL to speak. They differ in how a statement names its parameters: `$1` or `?`. */
export type SqlDialect = 'postgres' | 'sqlite'

/**
 * A database: a `pg` pool, PGlite or Neon, as it is; `better-sqlite3` or `node:sqlite`, as it is. Any other one fits as
 * `{ query: (sql, values) => … }`, resolving to the rows or to an object with `rows`.
 */
export type SqlDatabase =
  | { prepare(sql: string): { all(...values: (string | number)[]): unknown } }
  | { query(sql: string, values: (string | number)[]): Promise<unknown> }

/** Runs one statement that returns rows. */
export type RunSql = (sql: string, values: (string | number)[]) => Promise<readonly unknown[]>

/** How to run statements on a database, and in which dialect unless one is given; `maker` is named where it is no database. */
export function sqlRunner(
  database: SqlDatabase,
  dialect: SqlDialect | undefined,
  maker: string,
): { dialect: SqlDialect; run: RunSql } {
  // Bun’s SQLite has a `query` too, which takes something else: `prepare` comes first.
  if ('prepare' in database && typeof database.prepare === 'function') {
    const prepared = memoize((sql) => database.prepare(sql))
    return { dialect: dialect ?? 'sqlite', run: async (sql, values) => rowsOf(prepared(sql).all(...values)) }
  }
  if ('query' in database && typeof database.query === 'function') {
    return { dialect: dialect ?? 'postgres', run: async (sql, values) => rowsOf(await database.query(sql, values)) }
  }
  throw new TypeError(`${maker}: the database has neither query() nor prepare().`)
}

function memoize<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

// A result that is not understood must not let a call in.
function rowsOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result
  if (typeof result === 'object' && result !== null && 'rows' in result && Array.isArray(result.rows))
    return result.rows
  throw new TypeError('The database answered with something other than rows: resolve to the rows, or to {rows}.')
}
