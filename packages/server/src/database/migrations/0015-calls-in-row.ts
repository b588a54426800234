import { type Migration, sql } from 'kysely'
import type { ColumnTypes } from './column-types.ts'

/**
 * An execution holds its calls in its own row. Those of earlier releases stay in a table that is not written any more. On
 * PostgreSQL the id alone is the key: a second one was one more index on every write.
 */
export function callsInRow({ text, strict }: ColumnTypes): Migration {
  const isPostgres = strict === ''
  return {
    async up(db) {
      await sql.raw(`alter table executions add column calls ${text}`).execute(db)
      if (!isPostgres) return
      await sql`alter table executions drop constraint executions_pkey`.execute(db)
      await sql`alter table executions replica identity using index executions_execution_id_key`.execute(db)
    },
  }
}
