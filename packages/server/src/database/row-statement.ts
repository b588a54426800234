import { CompiledQuery, type Kysely, PostgresAdapter } from 'kysely'
import type { Schema } from './schema.ts'

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
  readonly sqlite: string
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
 * and with what the earlier ones changed: it must come to the same. An `insert … select` needs `where true` before `on conflict`.
 */
export function rowStatement<const C extends Columns>(columns: C, write: (parts: Parts) => string): RowStatement<C> {
  const names = Object.keys(columns)
  const typed = names.map((name) => `${name} ${columns[name]}`).join(', ')
  return {
    columns,
    sqlite: write({
      given: `(select ${names.map((name) => `@${name} as ${name}`).join(', ')}) as given`,
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
  const names = Object.keys(columns).join(', ')
  return rowStatement(
    columns,
    ({ given }) => `insert into ${table} (${names}) select ${names} from ${given} where true ${onConflict}`,
  )
}

/** Runs a statement and returns what it answers for all rows, in no order. What an answer looks like is the statement's affair. */
export async function runRows<Answer, C extends Columns = Columns>(
  db: Kysely<Schema>,
  statement: RowStatement<C>,
  rows: readonly GivenRow<C>[],
): Promise<Answer[]> {
  if (rows.length === 0) return []
  const text = isPostgres(db) ? statement.postgres : statement.sqlite
  const { rows: answers } = await db.executeQuery<Answer>(CompiledQuery.raw(text, [new JsonRows(rows)]))
  return answers
}

/** Rows as the parameter of a statement. */
export class JsonRows {
  readonly text: string

  constructor(rows: readonly object[]) {
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

function isPostgres(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
