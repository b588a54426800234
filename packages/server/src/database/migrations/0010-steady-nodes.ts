import { type Migration, sql } from 'kysely'
import type { ColumnTypes } from './column-types.ts'

/** Since when leases have been renewed without a gap, as each node knows it: null for a server of an earlier release. */
export function steadyNodes({ bigint }: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql.raw(`alter table nodes add column steady_since ${bigint}`).execute(db)
    },
  }
}
