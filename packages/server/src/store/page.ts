import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'

/** The last row before a page. Listings are newest first. */
export interface PageStart {
  at: number
  id: string
}

export interface PageRequest {
  limit: number
  cursor: PageStart | null
}

/** Keyset pagination: orders by two columns, both descending, and selects one page and the row after it. */
export function pageBy(at: string, id: string, { limit, cursor }: PageRequest) {
  return <DB, Tables extends keyof DB, Row>(query: SelectQueryBuilder<DB, Tables, Row>) => {
    const page = query
      .orderBy(sql.ref(at), 'desc')
      .orderBy(sql.ref(id), 'desc')
      .limit(limit + 1)
    if (cursor === null) return page
    return page.where(sql<SqlBool>`(${sql.ref(at)}, ${sql.ref(id)}) < (${cursor.at}, ${cursor.id})`)
  }
}

/** Cuts a page from rows that were read with a limit of `limit + 1`: the extra row tells whether another page follows. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  startOf: (row: Row) => PageStart,
): { shown: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { shown, nextCursor: last === undefined ? null : encodeCursor(startOf(last)) }
}

export function encodeCursor({ at, id }: PageStart): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url')
}
