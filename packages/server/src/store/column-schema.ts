import type { ColumnType } from 'kysely'

/** A boolean: the engines share no type for it. */
export type Flag = 0 | 1

export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>

/** A number that defaults to 0. */
export type Counter = ColumnType<number, number | undefined, number>
