import { type Migration, sql } from 'kysely'
import type { ColumnTypes } from './column-types.ts'

/** The settings of each node that all nodes should share, as JSON: null for a server of an earlier release. */
export function nodeSettings({ text }: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql.raw(`alter table nodes add column settings ${text}`).execute(db)
    },
  }
}
