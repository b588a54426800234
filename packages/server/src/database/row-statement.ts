import { CompiledQuery, type Kysely, PostgresAdapter } from 'kysely'
import type { Schema } from './schema.ts'
import { send } from './sent-at-once.ts'

/** The columns of the rows that a statement is given. */
type Columns = Readonly<Record<string, 'text' | 'bigint'>>

/** One row, with a value for every column. */
type GivenRow<C extends Columns> = { readonly [K in keyof C]: (C[K] extends 'text' ? string : number) | null }

/**
 * One statement for any number of rows. Its text never changes, so it is built once and prepared once, and the rows are
 * one parameter: JSON text, which crosses to the thread of SQLite or the server of PostgreSQL as it is.
 */
export interface RowStatement<C extends Columns> {
  readonly columns: C
  /** Takes a row's values in the order of the columns. */
  readonly sqlite: string
  /** Takes all rows as `$1`. */
  readonly postgres: string
}

interface Parts {
  /** The rows as a table of this name, for `from`. */
  given: string
  /** Closes a select: locks what it found in this table. */
  forUpdateOf(table: string): string
  /** The same, but for those who change the rows alone. */
  forShareOf(table: string): string
}

/**
 * Writes a statement for both engines. PostgreSQL does it once for all rows, SQLite once for each of them, in their order
 * and with what the earlier ones changed: it must come to the same, and name `given` once. An `insert … select` needs `where true` before `on conflict`.
 */
export function rowStatement<const C extends Columns>(columns: C, write: (parts: Parts) => string): RowStatement<C> {
  const names = Object.keys(columns)
  const typed = names.map((name) => `${name} ${columns[name]}`).join(', ')
  return {
    columns,
    sqlite: write({
      given: `(select ${names.map((name) => `? as ${name}`).join(', ')}) as given`,
      forUpdateOf: () => '',
      forShareOf: () => '',
    }),
    postgres: write({
      given: `json_to_recordset($1::json) as given(${typed})`,
      forUpdateOf: (table) => `for update of ${table}`,
      forShareOf: (table) => `for share of ${table}`,
    }),
  }
}

/** A statement that inserts the given rows as they are into a table that has these columns. */
export function insertStatement<const C extends Columns>(
  table: keyof Schema,
  columns: C,
  onConflict = '',
): RowStatement<C> {
  const names = Object.keys(columns)
  const into = `insert into ${table} (${names.join(', ')})`
  const { postgres } = rowStatement(
    columns,
    ({ given }) => `${into} select ${names.join(', ')} from ${given} where true ${onConflict}`,
  )
  return { columns, postgres, sqlite: `${into} values (${names.map(() => '?').join(', ')}) ${onConflict}` }
}

/** A statement that changes the row of a table that a given row names, where there is one. */
export interface RowUpdate<C extends Columns> extends RowStatement<C> {
  /** The column by which PostgreSQL tells which rows it changed; no two given rows have the same. */
  readonly name: keyof C
}

interface UpdateParts<S extends Columns, K extends Columns, B extends Columns> {
  set: S
  key: K
  /** What else is given, for the condition. */
  bounds?: B
  /** A further condition, in which each bound stands once and in their order. */
  where?: (given: (name: keyof B & string) => string) => string
}

/** A statement that sets columns in those rows of a table that the key names and the condition holds for. */
export function updateStatement<
  const S extends Columns,
  const K extends Columns,
  const B extends Columns = Record<never, never>,
>(
  table: keyof Schema,
  name: keyof K & string,
  { set, key, bounds, where = () => 'true' }: UpdateParts<S, K, B>,
): RowUpdate<S & K & B> {
  const columns: S & K & B = Object.assign({}, set, key, bounds)
  const changes = (given: (name: string) => string) =>
    Object.keys(set)
      .map((column) => `${column} = ${given(column)}`)
      .join(', ')
  const condition = (given: (name: string) => string) =>
    [...Object.keys(key).map((column) => `${table}.${column} = ${given(column)}`), where(given)].join(' and ')
  const { postgres } = rowStatement(columns, ({ given }) => {
    const ofRow = (column: string) => `given.${column}`
    return `update ${table} set ${changes(ofRow)} from ${given} where ${condition(ofRow)} returning ${table}.${name}`
  })
  const mark = () => '?'
  return { columns, name, postgres, sqlite: `update ${table} set ${changes(mark)} where ${condition(mark)}` }
}

/** Runs an update and returns those of the given rows for which it changed nothing. */
export async function updateRows<C extends Columns, Row extends GivenRow<C>>(
  db: Kysely<Schema>,
  update: RowUpdate<C>,
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) return []
  if (isPostgres(db)) {
    const { rows: changed } = await send<Record<keyof C, unknown>>(db, toQuery(db, update, rows))
    const names = new Set(changed.map((row) => row[update.name]))
    return rows.filter((row) => !names.has(row[update.name]))
  }
  const { rows: unchanged } = await send<number>(db, toQuery(db, update, rows))
  if (unchanged.length === 0) return []
  const indexes = new Set(unchanged)
  return rows.filter((_, index) => indexes.has(index))
}

/** The same on SQLite, but fails with an error that `isUnchanged` knows where there is such a row. */
export async function updateAllRows<C extends Columns>(
  db: Kysely<Schema>,
  update: RowUpdate<C>,
  rows: readonly GivenRow<C>[],
): Promise<void> {
  if (rows.length > 0) await send(db, toQuery(db, update, rows, true))
}

/** Runs a statement and returns what it answers for all rows, in no order. What an answer looks like is the statement's affair. */
export async function runRows<Answer, C extends Columns = Columns>(
  db: Kysely<Schema>,
  statement: RowStatement<C>,
  rows: readonly GivenRow<C>[],
): Promise<Answer[]> {
  if (rows.length === 0) return []
  const { rows: answers } = await send<Answer>(db, toQuery(db, statement, rows))
  return answers
}

function toQuery<C extends Columns>(
  db: Kysely<Schema>,
  { columns, postgres, sqlite }: RowStatement<C>,
  rows: readonly GivenRow<C>[],
  mustChange = false,
): CompiledQuery {
  return isPostgres(db)
    ? CompiledQuery.raw(postgres, [new JsonRows(rows)])
    : CompiledQuery.raw(sqlite, [new JsonRows(toValues(columns, rows), mustChange)])
}

// Without their names the rows are half as long to write and to read, and bound without a look-up for each.
function toValues<C extends Columns>(columns: C, rows: readonly GivenRow<C>[]): unknown[][] {
  const names: (keyof C)[] = Object.keys(columns)
  return rows.map((row) => names.map((name) => row[name]))
}

/** Rows as the parameter of a statement. */
export class JsonRows {
  readonly text: string
  /** Fails where the statement finds one of them not there; for SQLite. */
  readonly mustChange: boolean

  constructor(rows: readonly object[], mustChange = false) {
    this.mustChange = mustChange
    const text = JSON.stringify(rows)
    // Half of a pair of UTF-16, which is no character: PostgreSQL refuses it in JSON. Stored as U+FFFD, as in a parameter.
    this.text = HALF_PAIR.test(text) ? JSON.stringify(rows, toWellFormed) : text
  }

  /** What the library for PostgreSQL asks a parameter for. */
  toPostgres(): string {
    return this.text
  }
}

// As escaped by JSON.stringify; an escaped escape looks the same, and costs no more than the second pass.
const HALF_PAIR = /\\ud[89a-f]/

function toWellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value
}

export function isPostgres(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
