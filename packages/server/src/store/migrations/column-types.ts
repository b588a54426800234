import type { Kysely } from 'kysely'

/** A statement, or what no statement can do. */
export type MigrationStep = string | ((db: Kysely<unknown>) => Promise<void>)

/** What a migration writes where the engines need different words for the same column. */
export interface ColumnTypes {
  text: string
  bigint: string
  /** A key that counts up by itself. */
  serial: string
  /** Closes a `create table`. */
  strict: string
}

export const COLUMN_TYPES = {
  // STRICT refuses what PostgreSQL refuses, such as a fraction in a column of whole numbers.
  sqlite: { text: 'text', bigint: 'integer', serial: 'integer primary key', strict: 'strict' },
  // Byte order, as SQLite sorts: a locale's order would not keep newer ids after older ones.
  postgres: {
    text: 'text collate "C"',
    bigint: 'bigint',
    serial: 'bigint generated always as identity primary key',
    strict: '',
  },
} satisfies Record<string, ColumnTypes>
