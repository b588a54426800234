import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** The columns of the rows that a statement is given. */
export type Columns = Readonly<Record<string, 'text' | 'bigint'>>

/** One row, with a value for every column. */
export type GivenRow = Readonly<Record<string, string | number | null>>

/**
 * Any number of rows as the table `given` of a statement's `from`, whose text never changes: they are one parameter. An
 * `insert … select` from it needs `where true` before `on conflict`.
 */
export function givenRows(db: Kysely<Schema>, columns: Columns, rows: readonly GivenRow[]): RawBuilder<unknown> {
  const names = Object.keys(columns)
  if (isPostgres(db)) {
    const typed = names.map((name) => `${name} ${columns[name]}`).join(', ')
    return sql`json_to_recordset(${jsonRows(rows)}::json) as given(${sql.raw(typed)})`
  }
  const values = names.map((name) => `value ->> '${name}' as ${name}`).join(', ')
  return sql`(select ${sql.raw(values)} from json_each(${jsonRows(rows)})) as given`
}

/** Inserts rows as they are into a table that has these columns. */
export async function insertGiven(
  db: Kysely<Schema>,
  { into, columns, onConflict = '' }: { into: keyof Schema; columns: Columns; onConflict?: string },
  rows: readonly GivenRow[],
): Promise<void> {
  if (rows.length === 0) return
  const names = sql.raw(Object.keys(columns).join(', '))
  await sql`insert into ${sql.table(into)} (${names}) select ${names} from ${givenRows(db, columns, rows)}
    where true ${sql.raw(onConflict)}`.execute(db)
}

/** Rows as a parameter. */
export function jsonRows(rows: readonly object[]): string {
  const text = JSON.stringify(rows)
  // Half of a pair of UTF-16, which is no character: PostgreSQL refuses it in JSON. Stored as U+FFFD, as in a parameter.
  return HALF_PAIR.test(text) ? JSON.stringify(rows, toWellFormed) : text
}

// As escaped by JSON.stringify; an escaped escape looks the same, and costs no more than the second pass.
const HALF_PAIR = /\\ud[89a-f]/

function toWellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value
}

export function isPostgres(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
