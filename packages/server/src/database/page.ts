/** Where a page of a listing begins: right after this row, newest first. */
export interface PageStart {
  at: number
  id: string
}

/** Cuts a page from rows of which one more than `limit` was asked for; that one tells whether another page follows. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  startOf: (row: Row) => PageStart,
): { shown: Row[]; next: PageStart | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { shown, next: last === undefined ? null : startOf(last) }
}
