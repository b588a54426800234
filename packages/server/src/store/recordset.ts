import { CompiledQuery, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Db, Schema } from './schema.ts'

/** Columns of a table for which each row has a value. */
export interface RecordsetColumns {
  of: keyof Schema
  columns: readonly string[]
}

export type RecordsetRow = Readonly<Record<string, string | number | null>>

/** Rows as the table `given` of a `from`, in one JSON parameter: the statement's text is the same for any number. */
export function recordset(
  db: Db,
  { of, columns }: RecordsetColumns,
  rows: readonly RecordsetRow[],
): RawBuilder<unknown> {
  if (isPostgres(db)) return sql`json_populate_recordset(null::${sql.table(of)}, ${jsonRows(rows)}::json) as given`
  const values = columns.map((name) => `value ->> '${name}' as ${name}`).join(', ')
  return sql`(select ${sql.raw(values)} from json_each(${jsonRows(rows)})) as given`
}

/** Inserts rows in the caller's transaction. On SQLite each is a statement: dozens of columns out of JSON cost several times as much. */
export async function insertRecordset(
  db: Db,
  given: RecordsetColumns & { onConflict?: string },
  rows: readonly RecordsetRow[],
): Promise<void> {
  if (rows.length === 0) return
  const { of, columns, onConflict = '' } = given
  if (isPostgres(db)) {
    const names = sql.raw(columns.join(', '))
    await sql`insert into ${sql.table(of)} (${names}) select ${names} from ${recordset(db, given, rows)}
      where true ${sql.raw(onConflict)}`.execute(db)
    return
  }
  const insert = `insert into ${of} (${columns}) values (${columns.map(() => '?')}) ${onConflict}`
  const valuesOf = (row: RecordsetRow) => columns.map((name) => toWellFormed(name, row[name] ?? null))
  await Promise.all(rows.map((row) => db.executeQuery(CompiledQuery.raw(insert, valuesOf(row)))))
}

/** Rows as JSON. Unpaired surrogates, which PostgreSQL refuses in JSON, become U+FFFD, as they do in a parameter. */
export function jsonRows(rows: readonly object[]): string {
  const text = JSON.stringify(rows)
  return SURROGATE.test(text) ? JSON.stringify(rows, toWellFormed) : text
}

// JSON.stringify escapes unpaired surrogates alone.
const SURROGATE = /\\ud[89a-f]/

function toWellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value
}

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
