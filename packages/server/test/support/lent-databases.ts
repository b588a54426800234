import { sql } from 'kysely'
import { type Database, type Engine, openDatabase } from '../../src/store/database.ts'
import type { TestPlace } from './engines.ts'

export interface LentDatabase {
  readonly database: Database
  /** For further connections, which end before it is given back. */
  readonly place: TestPlace
  /** Empties it for the next borrower, or removes it where its schema is not what it was. */
  giveBack(): Promise<void>
}

interface Kept {
  readonly database: Database
  readonly place: TestPlace
  readonly shape: string
}

const kept: Record<Engine, Kept[]> = { sqlite: [], postgres: [] }

/**
 * A migrated database without rows, open, which files of one process use one after another: to copy and open one takes
 * 0.1 s of processor time on SQLite and 0.3 s on PostgreSQL. What is kept goes at the end of the run.
 */
export async function lendDatabase(engine: Engine, createPlace: () => Promise<TestPlace>): Promise<LentDatabase> {
  const lent = kept[engine].pop() ?? (await open(await createPlace()))
  const { database, place } = lent
  return {
    database,
    place,
    async giveBack() {
      if (await empty(lent).catch(() => false)) {
        kept[engine].push(lent)
        return
      }
      await database.close()
      await place.remove()
    },
  }
}

async function open(place: TestPlace): Promise<Kept> {
  const database = await openDatabase(place.options)
  return { database, place, shape: await readShape(database) }
}

/** False where a test has changed the schema. */
async function empty({ database, shape }: Kept): Promise<boolean> {
  if ((await readShape(database)) !== shape) return false
  if (database.engine === 'postgres') await sql.raw(EMPTY_POSTGRES).execute(database.db)
  else await emptySqlite(database)
  return true
}

// Deletes in any order: foreign keys are not looked at. Needs a superuser; without one, nothing is kept.
const EMPTY_POSTGRES = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
    execute format('delete from %I', name);
  end loop;
end $$`

async function emptySqlite({ db }: Database): Promise<void> {
  const tables = await db.introspection.getTables()
  await db.transaction().execute(async (transaction) => {
    await sql`pragma defer_foreign_keys = on`.execute(transaction)
    for (const { name } of tables) await sql`delete from ${sql.table(name)}`.execute(transaction)
  })
}

const SHAPES: Record<Engine, string> = {
  sqlite: 'select type, name, sql from sqlite_schema order by type, name',
  postgres: `select relname, relkind, relnatts, relchecks, relhastriggers, reloptions from pg_class
    where relnamespace = 'public'::regnamespace order by relname`,
}

async function readShape({ engine, db }: Database): Promise<string> {
  const { rows } = await sql.raw(SHAPES[engine]).execute(db)
  return JSON.stringify(rows)
}
