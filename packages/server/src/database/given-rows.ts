import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** Columns of a table, for which each given row has a value. */
export interface GivenColumns {
  of: keyof Schema
  columns: readonly string[]
}

export type GivenRow = Readonly<Record<string, string | number | null>>

/**
 * Any number of rows as the table `given` of a statement's `from`, whose text never changes: they are one parameter. An
 * `insert … select` from it needs `where true` before `on conflict`.
 */
export function givenRows(
  db: Kysely<Schema>,
  { of, columns }: GivenColumns,
  rows: readonly GivenRow[],
): RawBuilder<unknown> {
  if (isPostgres(db)) return sql`json_populate_recordset(null::${sql.table(of)}, ${jsonRows(rows)}::json) as given`
  const values = columns.map((name) => `value ->> '${name}' as ${name}`).join(', ')
  return sql`(select ${sql.raw(values)} from json_each(${jsonRows(rows)})) as given`
}

export async function insertGiven(
  db: Kysely<Schema>,
  given: GivenColumns & { onConflict?: string },
  rows: readonly GivenRow[],
): Promise<void> {
  if (rows.length === 0) return
  const names = sql.raw(given.columns.join(', '))
  await sql`insert into ${sql.table(given.of)} (${names}) select ${names} from ${givenRows(db, given, rows)}
    where true ${sql.raw(given.onConflict ?? '')}`.execute(db)
}

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
