import { type Kysely, type Migration, Migrator } from 'kysely'
import { FROM_0001 } from './migrations/from-0001.ts'
import { FROM_0014 } from './migrations/from-0014.ts'
import { FROM_0030 } from './migrations/from-0030.ts'
import { type Engine, runStep } from './migrations/steps.ts'
import type { Db } from './schema.ts'

export const MIGRATIONS = { ...FROM_0001, ...FROM_0014, ...FROM_0030 }

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS)

/** Applies missing migrations under a lock that other processes respect. */
export async function migrate(db: Db, engine: Engine): Promise<void> {
  const provider = { getMigrations: async () => migrationsOf(engine) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
}

export function migrationsOf(engine: Engine): Record<string, Migration> {
  const migrations = Object.entries(MIGRATIONS).map(([name, steps]): [string, Migration] => {
    const up = async (db: Kysely<unknown>) => {
      for (const step of steps) await runStep(db, step, engine)
    }
    return [name, { up }]
  })
  return Object.fromEntries(migrations)
}
