import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqlNonceStore, NONCE_TABLE_SQL, type NonceStore, type SqlDatabase } from '@svc/sdk'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeEngine, type TestPlace } from '../../../server/test/support/engines.ts'
import { describeClaims, stampedAt } from '../support/claim-races.ts'
import { type FakeClock, fakeClock, NOW } from '../support/signed-calls.ts'
import { watched } from '../support/watched-database.ts'

const COUNT = 'select count(*) as count from svc_nonces'

/** A database with the table of nonces, which any number of connections may open. */
interface Place {
  open(): Promise<SqlDatabase>
  run(sql: string): Promise<unknown>
  count(): Promise<number>
}

async function sqlitePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-nonces-'))
  const connect = () => {
    const database = new SqliteDatabase(join(folder, 'nonces.db'))
    database.pragma('journal_mode = wal')
    database.pragma('synchronous = off')
    onTestFinished(() => void database.close())
    return database
  }
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = connect()
  database.exec(NONCE_TABLE_SQL)
  database.exec(NONCE_TABLE_SQL)
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
  await pool.query('drop table if exists svc_nonces')
  await pool.query(NONCE_TABLE_SQL)
  await pool.query(NONCE_TABLE_SQL)
  return {
    open: async () => connect(),
    run: (sql) => pool.query(sql),
    count: async () => Number((await pool.query<{ count: string }>(COUNT)).rows[0]?.count),
  }
}

const openTwo = async (place: Place, clock: FakeClock): Promise<readonly [NonceStore, NonceStore]> => [
  createSqlNonceStore(await place.open(), { clock }),
  createSqlNonceStore(await place.open(), { clock }),
]

describeClaims('a SQLite store through two connections', async (clock) => openTwo(await sqlitePlace(), clock))
describe('on SQLite', () => defineSweeps(sqlitePlace))

describeEngine('postgres', 'on PostgreSQL', (engine) => {
  let database: TestPlace
  beforeAll(async () => {
    database = await engine.createPlace()
  })
  afterAll(() => database.remove())
  const createPlace = () => postgresPlace(database.location)
  describeClaims('a store through two pools', async (clock) => openTwo(await createPlace(), clock))
  defineSweeps(createPlace)
})

function defineSweeps(createPlace: () => Promise<Place>): void {
  test('what has expired is deleted in passing, at most 1,000 rows per claim', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const store = createSqlNonceStore(await place.open(), { clock })
    const rows = Array.from({ length: 2_500 }, (_, index) => `('n${index}', ${stampedAt(NOW)})`)
    await place.run(`insert into svc_nonces values ${rows.join()}`)
    expect(await place.count()).toBe(2_500)
    clock.set(NOW + 3_600_000)
    const left: number[] = []
    for (let index = 0; index < 4; index += 1) {
      await store.claim(`later${index}`, stampedAt(clock.now()))
      left.push(await place.count())
    }
    expect(left).toEqual([1_501, 502, 3, 4])
  }, 60_000)

  test('claims in between pay for no sweep', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const statements: string[] = []
    const store = createSqlNonceStore(watched(await place.open(), statements), { clock })
    for (let elapsedMs = 0; elapsedMs < 60_000; elapsedMs += 100) {
      clock.set(NOW + elapsedMs)
      await store.claim(`n${elapsedMs}`, stampedAt(clock.now()))
    }
    expect(statements.filter((sql) => sql.startsWith('insert'))).toHaveLength(600)
    expect(statements.filter((sql) => sql.startsWith('delete'))).toHaveLength(6)
  }, 60_000)

  test('a sweep that fails costs nobody the call, and is made up for', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const database = await place.open()
    let isBroken = true
    const store = createSqlNonceStore(
      watched(database, [], (sql) => {
        if (isBroken && sql.startsWith('delete')) throw new Error('canceled')
      }),
      { clock },
    )
    expect(await store.claim('old', stampedAt(NOW))).toBe(true)
    isBroken = false
    clock.set(NOW + 3_600_000)
    expect(await store.claim('new', stampedAt(clock.now()))).toBe(true)
    expect(await place.count()).toBe(1)
  })

  test('a clock that leaps ahead and is set right again neither replays a call nor refuses new ones', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const store = createSqlNonceStore(await place.open(), { clock })
    expect(await store.claim('old', stampedAt(NOW))).toBe(true)
    clock.set(NOW + 3_600_000)
    expect(await store.claim('ahead', stampedAt(clock.now()))).toBe(true)
    expect(await place.count()).toBe(1)
    clock.set(NOW + 2_000)
    expect(await store.claim('old', stampedAt(NOW))).toBe(false)
    await place.run(`insert into svc_nonces values ('stale', ${NOW})`)
    expect(await store.claim('new', stampedAt(clock.now()))).toBe(true)
    expect(await place.count()).toBe(2)
  })

  // holds SIG-09
  test('a server whose clock runs ahead forgets nothing that one whose clock runs behind lets in', async () => {
    const clock = fakeClock()
    const place = await createPlace()
    const ahead = createSqlNonceStore(await place.open(), { clock: { now: () => clock.now() + 150_000 } })
    const behind = createSqlNonceStore(await place.open(), { clock: { now: () => clock.now() - 150_000 } })
    expect(await ahead.claim('n', stampedAt(NOW))).toBe(true)
    for (let elapsedMs = 0; elapsedMs <= 450_000; elapsedMs += 10_000) {
      clock.set(NOW + elapsedMs)
      await ahead.claim(`other${elapsedMs}`, stampedAt(clock.now()))
      expect(await behind.claim('n', stampedAt(NOW))).toBe(false)
    }
  })

  test('a missing table refuses the claim', async () => {
    const place = await createPlace()
    await place.run('drop table svc_nonces')
    const store = createSqlNonceStore(await place.open(), { clock: fakeClock() })
    await expect(store.claim('n', stampedAt(NOW))).rejects.toThrow(/svc_nonces/)
  })
}

test('any other database fits as a query function, in either dialect', async () => {
  const sqlite = new SqliteDatabase(':memory:')
  onTestFinished(() => void sqlite.close())
  sqlite.exec(NONCE_TABLE_SQL)
  const statements: string[] = []
  const query = async (sql: string, values: (string | number)[]) => {
    statements.push(sql)
    return { rows: sqlite.prepare(sql).all(...values) }
  }
  const store = createSqlNonceStore({ query }, { dialect: 'sqlite', clock: fakeClock() })
  expect(await store.claim('n', stampedAt(NOW))).toBe(true)
  expect(await store.claim('n', stampedAt(NOW))).toBe(false)
  expect(statements[0]).toContain('values (?, ?)')
})

test('an answer that is not rows refuses', async () => {
  for (const answer of [undefined, null, 1, 'OK', {}, { rows: 1 }, { changes: 1 }]) {
    const store = createSqlNonceStore({ query: async () => answer }, { clock: fakeClock() })
    await expect(store.claim('n', stampedAt(NOW))).rejects.toThrow(/something other than rows/)
  }
})

test('a row that is not the inserted one refuses: a wrapper may have put the rows into a list of its own', async () => {
  for (const rows of [[[]], [[{ nonce: 'n' }]], [{ nonce: 'other' }], [{}], [{ nonce: 'n' }, { nonce: 'n' }]]) {
    const store = createSqlNonceStore({ query: async () => rows }, { clock: fakeClock() })
    await expect(store.claim('n', stampedAt(NOW))).rejects.toThrow(/something other than the row/)
  }
})

test('something that is no database is refused at the start', () => {
  // @ts-expect-error an object with neither function
  expect(() => createSqlNonceStore({ execute: async () => [] })).toThrow(/neither query\(\) nor prepare\(\)/)
})
