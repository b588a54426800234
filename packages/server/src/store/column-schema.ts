import type { ColumnType } from 'kysely'

/** SQL has no booleans that both engines share. */
export type Flag = 0 | 1

export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>

/** Defaults to 0. */
export type Counter = ColumnType<number, number | undefined, number>
