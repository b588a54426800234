import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqlEffectStore, EFFECT_TABLE_SQL, EffectStoreFullError, type SqlDatabase } from '@svc/sdk'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeEngine, type TestPlace } from '../../../server/test/support/engines.ts'
import { describeEffects } from '../support/effect-races.ts'
import { type FakeClock, fakeClock, NOW } from '../support/signed-calls.ts'
import { watched } from '../support/watched-database.ts'

const COUNT = 'select count(*) as count from svc_effects'
const DAY_MS = 24 * 3_600_000

/** A database with the table of effects, which any number of connections may open. */
interface Place {
  open(): Promise<SqlDatabase>
  run(sql: string): Promise<unknown>
  count(): Promise<number>
}

async function sqlitePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-effects-'))
  const connect = () => {
    const database = new SqliteDatabase(join(folder, 'effects.db'))
    database.pragma('journal_mode = wal')
    database.pragma('synchronous = off')
    onTestFinished(() => void database.close())
    return database
  }
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = connect()
  database.exec(EFFECT_TABLE_SQL)
  database.exec(EFFECT_TABLE_SQL)
  return {
    open: async () => connect(),
    run: async (sql) => database.exec(sql),
    count: async () => Number(database.prepare<[], { count: number }>(COUNT).get()?.count),
  }
}

/** In this database, whose table is made anew. */
async function postgresPlace(location: string): Promise<Place> {
  const connect = () => {
    const pool = new pg.Pool({ connectionString: location, max: 10 })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return pool
  }
  const pool = connect()
  await pool.query('drop table if exists svc_effects')
  await pool.query(EFFECT_TABLE_SQL)
  await pool.query(EFFECT_TABLE_SQL)
  return {
    open: async () => connect(),
    run: (sql) => pool.query(sql),
    count: async () => Number((await pool.query<{ count: string }>(COUNT)).rows[0]?.count),
  }
}

const openTwo = async (place: Place, clock: FakeClock) =>
  [createSqlEffectStore(await place.open(), { clock }), createSqlEffectStore(await place.open(), { clock })] as const

describeEffects('a SQLite store through two connections', async (clock) => openTwo(await sqlitePlace(), clock))
describe('on SQLite', () => defineBounds(sqlitePlace))

describeEngine('postgres', 'on PostgreSQL', (engine) => {
  let database: TestPlace
  beforeAll(async () => {
    database = await engine.createPlace()
  })
  afterAll(() => database.remove())
  const createPlace = () => postgresPlace(database.location)
  describeEffects('a store through two pools', async (clock) => openTwo(await createPlace(), clock))
  defineBounds(createPlace)
})

function defineBounds(createPlace: () => Promise<Place>): void {
  test('a record is kept for a day and five minutes, and then deleted in passing', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const store = createSqlEffectStore(await place.open(), { clock })
    await store.begin('old', 'record')
    clock.set(NOW + DAY_MS + 299_999)
    expect(await store.begin('old', 'again')).toBe('record')
    clock.set(NOW + DAY_MS + 310_000)
    expect(await store.begin('new', 'record')).toBeNull()
    expect(await place.count()).toBe(1)
  })

  test('expired rows are deleted at most 1,000 with one call', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const store = createSqlEffectStore(await place.open(), { clock })
    const rows = Array.from({ length: 2_500 }, (_, index) => `('k${index}', 'record', ${NOW})`)
    await place.run(`insert into svc_effects values ${rows.join()}`)
    const left: number[] = []
    for (let index = 0; index < 4; index += 1) {
      await store.begin(`new${index}`, 'record')
      left.push(await place.count())
    }
    expect(left).toEqual([1_501, 502, 3, 4])
  })

  test('a sweep that fails costs nobody the call, and is made up for', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const database = await place.open()
    let isBroken = true
    const breaking = (sql: string) => {
      if (isBroken && sql.startsWith('delete')) throw new Error('canceled')
    }
    const store = createSqlEffectStore(watched(database, [], breaking), { clock })
    await place.run(`insert into svc_effects values ('old', 'record', ${NOW})`)
    expect(await store.begin('a', 'record')).toBeNull()
    expect(await place.count()).toBe(2)
    isBroken = false
    clock.set(NOW + 10_000)
    expect(await store.begin('b', 'record')).toBeNull()
    expect(await place.count()).toBe(2)
  })

  test('a full table refuses new calls, tells of those that it has, and takes calls again once there is room', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const store = createSqlEffectStore(await place.open(), { clock, maxEntries: 2 })
    await store.begin('a', 'of a')
    await store.begin('b', 'of b')
    clock.set(NOW + 10_000)
    await expect(store.begin('c', 'of c')).rejects.toThrow(EffectStoreFullError)
    expect(await store.begin('a', 'again')).toBe('of a')
    await store.end('a', 'ended')
    expect(await store.read('a')).toBe('ended')
    await place.run("delete from svc_effects where id = 'b'")
    clock.set(NOW + 20_000)
    expect(await store.begin('c', 'of c')).toBeNull()
  })

  test('a missing table refuses the call', async () => {
    const place = await createPlace()
    await place.run('drop table svc_effects')
    const store = createSqlEffectStore(await place.open(), { clock: fakeClock() })
    for (const step of [() => store.begin('k', 'r'), () => store.read('k'), () => store.end('k', 'r')]) {
      await expect(step()).rejects.toThrow(/svc_effects/)
    }
  })

  test('a clock that returns NaN refuses the call', async () => {
    const place = await createPlace()
    const store = createSqlEffectStore(await place.open(), { clock: { now: () => Number.NaN } })
    await expect(store.begin('k', 'r')).rejects.toThrow()
  })
}

test('any other database fits as a query function, in either dialect', async () => {
  const sqlite = new SqliteDatabase(':memory:')
  onTestFinished(() => void sqlite.close())
  sqlite.exec(EFFECT_TABLE_SQL)
  const query = async (sql: string, values: (string | number)[]) => ({ rows: sqlite.prepare(sql).all(...values) })
  const store = createSqlEffectStore({ query }, { dialect: 'sqlite', clock: fakeClock() })
  expect(await store.begin('k', 'record')).toBeNull()
  expect(await store.begin('k', 'again')).toBe('record')
})

test('an answer that is not the row refuses', async () => {
  const answers = [undefined, {}, { rows: 1 }, [[]], [{}], [{ id: 1 }], [{ id: 'k' }, { id: 'k' }]]
  for (const answer of answers) {
    const query = async (sql: string) => (sql.startsWith('insert') ? answer : [])
    const store = createSqlEffectStore({ query }, { clock: fakeClock() })
    await expect(store.begin('k', 'record')).rejects.toThrow(/something other than (rows|the row)/)
  }
  const silent = createSqlEffectStore({ query: async () => [] }, { clock: fakeClock() })
  await expect(silent.begin('k', 'record')).rejects.toThrow(/neither took the record/)
  await expect(silent.end('k', 'record')).rejects.toThrow(/did not answer that it stored/)
})

test('something that is no database is refused at the start, by the name of the store', () => {
  // @ts-expect-error an object with neither function
  expect(() => createSqlEffectStore({ execute: async () => [] })).toThrow(/createSqlEffectStore: .* query\(\)/)
})
