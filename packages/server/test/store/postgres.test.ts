import { inspect } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { CommitUnknownError, isConnectionFault, isOutage } from '../../src/store/errors.ts'
import { openPostgres } from '../../src/store/postgres/pool.ts'
import { inTransaction, type Tx } from '../../src/store/transaction.ts'
import { createEmptyTestPlace, describeEngine } from '../support/engines.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { usageRow } from './rows.ts'

describeEngine('postgres', 'the PostgreSQL pool', (engine) => {
  test('every connection has time limits and commits synchronously', async () => {
    const { location: url } = await createEmptyTestPlace(engine)
    const { db } = openPostgres({ url, onError: () => undefined })
    onTestFinished(() => db.destroy())

    const { rows } = await sql`
      select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle, current_setting('synchronous_commit') as commit
    `.execute(db)

    expect(rows).toEqual([{ statement: '5s', lock: '2s', idle: '10s', commit: 'on' }])
  })

  test('migrations ignore the time limits of the database’s settings', async () => {
    const { options, location: url } = await createEmptyTestPlace(engine)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const name = new URL(url).pathname.slice(1)
    await client.query(`alter database ${name} set statement_timeout = '1ms'`)
    await client.query(`alter database ${name} set lock_timeout = '1ms'`)
    await client.end()

    const { db, close } = await openDatabase(options)
    onTestFinished(close)

    expect(await db.selectFrom('owners').selectAll().execute()).toEqual([])
  })

  test('type parsers of the pool do not change the global ones', () => {
    const parsed = pg.types.getTypeParser(pg.types.builtins.INT8)('12')

    expect(parsed).toBe('12')
  })

  test('every text column sorts by bytes, whatever the server’s locale', async () => {
    const { db } = await open()

    const { rows } = await sql`
      select collation_name, count(*) from information_schema.columns
      where table_schema = 'public' and data_type = 'text' group by collation_name
    `.execute(db)

    expect(rows).toEqual([{ collation_name: 'C', count: expect.any(Number) }])
  })

  test('the pool survives and reports the loss of its idle connections', async () => {
    const { db, url, nextError } = await open()
    await sql`select 1`.execute(db)

    await terminateAll(url)
    const error = await nextError

    expect(error).toMatchObject({ code: '57P01' })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('connectionParameters')
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })

  test('a connection lost between two queries fails only their transaction', async () => {
    const { db, url, nextError } = await open()

    const transaction = inTransaction(db, async (tx) => {
      await tx.insertInto('execution_rollups').values(usageRow()).execute()
      await terminateAll(url)
      await nextError
      await tx.deleteFrom('execution_rollups').execute()
    })

    expect(isOutage(await transaction.catch((thrown: unknown) => thrown))).toBe(true)
    expect(await db.selectFrom('execution_rollups').selectAll().execute()).toEqual([])
  })

  test('of two deadlocked transactions one is retried, and both succeed', async () => {
    const { db } = await open()
    const runtimes = ['rt_left', 'rt_right']
    await db
      .insertInto('execution_rollups')
      .values(runtimes.map((id) => usageRow({ runtime_id: id })))
      .execute()
    const bothHoldOne = createBarrier(2)
    const lockBoth = (order: string[]) =>
      inTransaction(db, async (tx) => {
        for (const id of order) {
          await increment(tx, id)
          await bothHoldOne()
        }
      })

    await Promise.all([lockBoth(runtimes), lockBoth(runtimes.toReversed())])

    expect(await db.selectFrom('execution_rollups').select('failed').execute()).toEqual([{ failed: 2 }, { failed: 2 }])
  })

  describe('a server that stops answering', () => {
    // The timers of connections; sockets and streams use others.
    async function openRelayed() {
      const { options, location } = await createEmptyTestPlace(engine)
      await (await openDatabase(options)).close()
      const relay = await startPostgresRelay(location)
      const { db } = openPostgres({ url: relay.url, onError: () => undefined })
      onTestFinished(() => db.destroy())
      await sql`select 1`.execute(db)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      // A statement’s time limit. After ten seconds the pool itself closes idle connections.
      const expire = async () => {
        await relay.unheard
        vi.advanceTimersByTime(5_500)
      }
      return { db, relay, expire }
    }

    test('times out after its own limit, and the next statement has another connection', async () => {
      const { db, relay, expire } = await openRelayed()
      relay.silence()
      const [error] = await Promise.all([sql`select 1`.execute(db).catch((thrown: unknown) => thrown), expire()])
      expect([isConnectionFault(error), isOutage(error)]).toEqual([true, true])
      expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
    })

    test('times out once: idle connections of the same age are closed unused', async () => {
      const { db, relay, expire } = await openRelayed()
      await Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.05)`.execute(db)))
      relay.silence()
      const [error] = await Promise.all([sql`select 1`.execute(db).catch((thrown: unknown) => thrown), expire()])
      expect(isConnectionFault(error)).toBe(true)
      const five = await Promise.all(Array.from({ length: 5 }, () => sql`select 1 as one`.execute(db)))
      expect(five.flatMap(({ rows }) => rows)).toEqual(Array.from({ length: 5 }, () => ({ one: 1 })))
    })

    test('costs no newer connection when an older query times out', async () => {
      const { db, relay, expire } = await openRelayed()
      const processes = async () => (await sql`select pg_backend_pid() as pid`.execute(db)).rows
      await Promise.all([1, 2].map(() => sql`select pg_sleep(0.05)`.execute(db)))
      relay.silence()
      const ask = () => sql`select 1`.execute(db).catch((thrown: unknown) => thrown)
      const earlier = ask()
      await relay.unheard
      vi.advanceTimersByTime(1_000)
      const later = ask()
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
      vi.advanceTimersByTime(6_000)
      expect(isConnectionFault(await earlier)).toBe(true)
      const made = await processes()
      await expire()
      expect(isConnectionFault(await later)).toBe(true)
      expect(await processes()).toEqual(made)
    })

    test('costs a transaction one retry', async () => {
      const { db, relay, expire } = await openRelayed()
      let tries = 0
      relay.silence()
      const transaction = inTransaction(db, async (tx) => {
        tries += 1
        await tx.insertInto('execution_rollups').values(usageRow()).execute()
      })
      await Promise.all([transaction, expire()])
      expect([tries, (await db.selectFrom('execution_rollups').selectAll().execute()).length]).toEqual([1, 1])
    })

    test('leaves a commit unknown', async () => {
      const { db, relay, expire } = await openRelayed()
      relay.breakCommit('silence')
      const insert = (tx: Tx) => tx.insertInto('execution_rollups').values(usageRow()).execute()
      const told = inTransaction(db, insert).catch((thrown: unknown) => thrown)
      const [unknown] = await Promise.all([told, expire()])
      expect(unknown).toBeInstanceOf(CommitUnknownError)
      expect(await db.selectFrom('execution_rollups').selectAll().execute()).toEqual([])
    })
  })

  async function open() {
    const { options, location: url } = await createEmptyTestPlace(engine)
    let heard = (_error: unknown): void => undefined
    const nextError = new Promise<unknown>((resolve) => {
      heard = resolve
    })
    const { db, close } = await openDatabase({ ...options, onError: (error) => heard(error) })
    onTestFinished(close)
    return { db, url, nextError }
  }
})

async function increment(tx: Tx, runtimeId: string): Promise<void> {
  const update = tx.updateTable('execution_rollups').set(({ eb }) => ({ failed: eb('failed', '+', 1) }))
  await update.where('runtime_id', '=', runtimeId).execute()
}

/** Ends every other connection to the database. */
async function terminateAll(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

/** A barrier for the first `size` callers; later ones pass. */
function createBarrier(size: number): () => Promise<void> {
  let arrived = 0
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return () => {
    arrived += 1
    if (arrived >= size) open()
    return opened
  }
}
