import { type Kysely, type Migration, type MigrationProvider, Migrator } from 'kysely'
import { initial } from './migrations/0001-initial.ts'
import { COLUMN_TYPES, type ColumnTypes } from './migrations/column-types.ts'
import type { Schema } from './schema.ts'

/** Applies, under a lock that other processes honour, the migrations that the database lacks. Throws the first failure. */
export async function migrate(db: Kysely<Schema>, engine: keyof typeof COLUMN_TYPES): Promise<void> {
  const migrator = new Migrator({ db, provider: migrationsFor(COLUMN_TYPES[engine]) })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

function migrationsFor(types: ColumnTypes): MigrationProvider {
  const migrations: Record<string, Migration> = {
    '0001-initial': initial(types),
  }
  return { getMigrations: async () => migrations }
}
