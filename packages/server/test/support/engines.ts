import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { locate, type Need, needs, runName } from '@svc/testkit/needs'
import pg from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type Database, type DatabaseOptions, type Engine, openDatabase } from '../../src/store/database.ts'
import { type LentDatabase, lendDatabase } from './lent-databases.ts'

export interface TestEngine {
  readonly name: Engine
  /** A new empty place for one database: a folder for SQLite, a database on the server for PostgreSQL. */
  createPlace(): Promise<TestPlace>
}

export interface TestPlace {
  /** Opens the database of this place; faults that belong to no query fail the test run. */
  readonly options: DatabaseOptions
  /** The file of SQLite, the URL of PostgreSQL. */
  readonly location: string
  /** Removes the database, open connections or not. */
  remove(): Promise<void>
}

type DefineTests = (engine: TestEngine) => void

const ENGINES: Readonly<Record<Engine, TestEngine>> = {
  sqlite: { name: 'sqlite', createPlace: async () => createFolder() },
  postgres: { name: 'postgres', createPlace: () => createOnServer(locate('postgres'), 'template0') },
}

/** Defines the same tests once for each engine. They are skipped where the engine, or another need of theirs, is missing. */
export function describeEngines(title: string, define: DefineTests, ...others: readonly Need[]): void {
  for (const name of ['sqlite', 'postgres'] as const) describeEngine(name, `${title} (${name})`, define, ...others)
}

/** Defines tests of what one engine does and no other. */
export function describeEngine(name: Engine, title: string, define: DefineTests, ...others: readonly Need[]): void {
  const own: Need[] = name === 'postgres' ? ['postgres'] : []
  needs(...own, ...others)(title, () => define(ENGINES[name]))
}

/** A place with a migrated database, which is removed when the running test has finished. */
export function createTestPlace(engine: TestEngine): Promise<TestPlace> {
  return removedAfterTest(createMigratedPlace(engine))
}

/** An open, migrated database without rows, until the running test has finished. */
export async function borrowForTest(engine: TestEngine): Promise<LentDatabase> {
  const lent = await borrow(engine)
  onTestFinished(() => lent.giveBack())
  return lent
}

function borrow(engine: TestEngine): Promise<LentDatabase> {
  return lendDatabase(engine.name, () => createMigratedPlace(engine))
}

/** A place without anything in it, for tests of migrations and of stores with tables of their own. */
export function createEmptyTestPlace(engine: TestEngine): Promise<TestPlace> {
  return removedAfterTest(engine.createPlace())
}

async function removedAfterTest(created: Promise<TestPlace>): Promise<TestPlace> {
  const place = await created
  onTestFinished(() => place.remove())
  return place
}

let migratedSqlite: Promise<Buffer> | undefined
let migratedPostgres: Promise<void> | undefined

/** A place with a migrated database in it, which is a copy: to migrate takes 0.1 s on SQLite and 0.5 s on PostgreSQL. */
async function createMigratedPlace(engine: TestEngine): Promise<TestPlace> {
  if (engine.name === 'postgres') {
    const server = locate('postgres')
    const template = `${runName()}_template`
    migratedPostgres ??= migratePostgres(server, template)
    await migratedPostgres
    return createOnServer(server, template)
  }
  const place = await engine.createPlace()
  migratedSqlite ??= migrateSqlite()
  writeFileSync(place.location, await migratedSqlite)
  return place
}

async function migrateSqlite(): Promise<Buffer> {
  const place = createFolder()
  const database = await openDatabase(place.options)
  await database.close()
  const file = readFileSync(place.location)
  await place.remove()
  return file
}

/** A migrated database for the tests of the enclosing `describe`; the function gives it to a running test. */
export function useDatabase(engine: TestEngine): () => Database {
  let lent: LentDatabase | undefined
  beforeAll(async () => {
    lent = await borrow(engine)
  })
  afterAll(() => lent?.giveBack())
  return () => {
    if (lent === undefined) throw new Error('the database is there once the tests run, not while they are defined')
    return lent.database
  }
}

function createFolder(): TestPlace {
  const folder = mkdtempSync(join(tmpdir(), `${runName()}-`))
  const file = join(folder, 'svc.db')
  return {
    options: { engine: 'sqlite', file, onError: failRun },
    location: file,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

// Any number: the lock of those that make the template.
const TEMPLATE_LOCK = 7_301

/** Makes the template unless another process of this run has. Its name is taken once it is whole. */
async function migratePostgres(server: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount === 1) return
    const place = await createOnServer(server, 'template0')
    const database = await openDatabase(place.options)
    await database.close()
    await client.query(`alter database ${new URL(place.location).pathname.slice(1)} rename to ${template}`)
  } finally {
    await client.end()
  }
}

async function createOnServer(server: string, template: string): Promise<TestPlace> {
  const name = `${runName()}_${randomBytes(8).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  // Not template1, which cannot be copied while anybody is connected to it.
  await runOnServer(server, `create database ${name} template ${template}`)
  return {
    options: { engine: 'postgres', url: url.href, isDurable: false, onError: failRun },
    location: url.href,
    remove: () => runOnServer(server, `drop database if exists ${name} with (force)`),
  }
}

async function runOnServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function failRun(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
