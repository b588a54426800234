import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** The row before a page, which begins right after it. Listings are newest first. */
export interface PageStart {
  at: number
  id: string
}

export interface PageRequest {
  limit: number
  after: PageStart | null
}

/** The condition that a row comes after `start` where a listing is ordered by these two columns, both descending. */
export function afterCursor(at: string, id: string, start: PageStart | null): RawBuilder<SqlBool> {
  if (start === null) return sql`true`
  return sql`(${sql.ref(at)}, ${sql.ref(id)}) < (${start.at}, ${start.id})`
}

/** Cuts a page from rows that were read with a limit of `limit + 1`: the extra row tells whether another page follows. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  startOf: (row: Row) => PageStart,
): { shown: Row[]; next: PageStart | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { shown, next: last === undefined ? null : startOf(last) }
}
