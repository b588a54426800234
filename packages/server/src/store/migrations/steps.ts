import { type Kysely, sql } from 'kysely'

export type Engine = 'sqlite' | 'postgres'

/** A statement, one for each engine that takes it in words of its own, or what no statement can do. */
export type MigrationStep = string | Partial<Record<Engine, string>> | ((db: Kysely<unknown>) => Promise<void>)

/** The steps of migrations by their names. Once released, they stay as they are. */
export type Migrations = Readonly<Record<string, readonly MigrationStep[]>>

/** Words of a statement that each engine spells in its own way. `$serial` is a key that counts up by itself, `$strict` closes a `create table`. */
const WORDS: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  // STRICT refuses what PostgreSQL refuses, such as a fraction in a column of whole numbers.
  sqlite: { $text: 'text', $bigint: 'integer', $serial: 'integer primary key', $strict: 'strict' },
  // Byte order, as SQLite sorts: a locale's order would not keep newer ids after older ones.
  postgres: {
    $text: 'text collate "C"',
    $bigint: 'bigint',
    $serial: 'bigint generated always as identity primary key',
    $strict: '',
  },
}

/** Runs a step in the words of the engine; nothing where it has none. */
export async function runStep(db: Kysely<unknown>, step: MigrationStep, engine: Engine): Promise<void> {
  if (typeof step === 'function') return step(db)
  const statement = typeof step === 'string' ? step : step[engine]
  if (statement === undefined) return
  await sql.raw(statement.replaceAll(/\$\w+/g, (word) => WORDS[engine][word] ?? word)).execute(db)
}
