import { Kysely, Migrator, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { initial } from '../../src/database/migrations/0001-initial.ts'
import { COLUMN_TYPES } from '../../src/database/migrations/column-types.ts'
import { type DatabaseOptions, openDatabase } from '../../src/database/open.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import type { Schema } from '../../src/database/schema.ts'
import { createSqliteDialect } from '../../src/database/sqlite-driver.ts'
import { createTestPlace, describeEngines } from '../support/engines.ts'

/** The database as the first release left it, with these rows of usage. */
async function leaveFirst(options: DatabaseOptions, usage: readonly string[]): Promise<void> {
  const db =
    options.engine === 'postgres'
      ? openPostgres(options)
      : new Kysely<Schema>({ dialect: createSqliteDialect(options) })
  const provider = { getMigrations: async () => ({ '0001-initial': initial(COLUMN_TYPES[options.engine]) }) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
  for (const values of usage) await sql.raw(`insert into usage_hours values (${values})`).execute(db)
  await db.destroy()
}

describeEngines('a database of the first release', (engine) => {
  test('is brought up to date, and its counts of usage with it, by hour and by day', async () => {
    const place = await createTestPlace(engine)
    const [first, second, nextDay] = [1_772_362_800_000, 1_772_366_400_000, 1_772_409_600_000]
    await leaveFirst(place.options, [
      `'owner_1', ${first}, 'rt_1', 'proj_1', 5, 3, 2, 1, 4, 3000000000, 30, 900`,
      `'owner_1', ${second}, 'rt_1', 'proj_1', 2, 2, 0, 0, 1, 3000000000, 1, 90`,
      `'owner_1', ${nextDay}, 'rt_1', 'proj_2', 1, 1, 0, 0, 0, 1, 1, 9`,
    ])
    const { db, close } = await openDatabase(place.options)
    onTestFinished(() => close())
    const rows = await db
      .selectFrom('execution_rollups')
      .select(['grain', 'at', 'project_id', 'span', 'executions', 'failed', 'input_tokens', 'duration_ms', 'b0'])
      .orderBy('grain')
      .orderBy('at')
      .execute()
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['day', Date.parse('2026-03-01'), 'proj_1', 0, 7, 2, 6_000_000_000, 990, 0],
      ['day', Date.parse('2026-03-02'), 'proj_2', 0, 1, 0, 1, 9, 0],
      ['hour', first, 'proj_1', 0, 5, 2, 3_000_000_000, 900, 0],
      ['hour', second, 'proj_1', 0, 2, 0, 3_000_000_000, 90, 0],
      ['hour', nextDay, 'proj_2', 0, 1, 0, 1, 9, 0],
    ])
  })
})
