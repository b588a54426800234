import { sql } from 'kysely'
import type { Database } from '../../src/store/database.ts'

/** Does at once what PostgreSQL does by itself a while after many rows came. SQLite plans without statistics, as shipped. */
export async function gatherStatistics({ engine, db }: Database): Promise<void> {
  if (engine === 'postgres') await sql`vacuum analyze`.execute(db)
}
