import { type Migration, sql } from 'kysely'

/** Rate limits are counted in memory: the rows that held them are read no more. */
export function rateInMemory(): Migration {
  return {
    async up(db) {
      await sql`delete from allowances where bucket like 'rate:%'`.execute(db)
    },
  }
}
