import type { Worker } from 'node:worker_threads'
import SqliteDatabase from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrations.ts'
import type { Schema } from '../../src/store/schema.ts'
import { createSqliteDialect } from '../../src/store/sqlite/driver.ts'
import { startSqliteWorker } from '../../src/store/sqlite/thread.ts'
import { inTransaction } from '../../src/store/transaction.ts'
import { createEmptyTestPlace, describeEngine, useDatabase } from '../support/engines.ts'
import { usageRow } from './rows.ts'

describeEngine('sqlite', 'the SQLite threads', (engine) => {
  const database = useDatabase(engine)

  test('commits are synchronous, foreign keys and write-ahead log are on, also when the file is opened again', async () => {
    const place = await createEmptyTestPlace(engine)
    await (await openDatabase(place.options)).close()
    const { db, close } = await openDatabase(place.options)
    onTestFinished(close)

    const settings = await Promise.all(
      ['synchronous', 'foreign_keys', 'journal_mode', 'busy_timeout'].map((name) =>
        sql.raw(`pragma ${name}`).execute(db),
      ),
    )

    expect(settings.map(({ rows }) => rows[0])).toEqual([
      { synchronous: 2 },
      { foreign_keys: 1 },
      { journal_mode: 'wal' },
      { timeout: 5000 },
    ])
  })

  test('a select uses the read-only connection, inside a transaction the writer’s', async () => {
    const readOnly = (db: Kysely<Schema>) =>
      db.selectFrom(sql<{ query_only: number }>`pragma_query_only`.as('setting')).select('query_only').execute()

    expect(await readOnly(database().db)).toEqual([{ query_only: 1 }])
    expect(await inTransaction(database().db, readOnly)).toEqual([{ query_only: 0 }])
  })

  test('a read sees the write that was committed before it, a hundred times', async () => {
    const { db } = database()
    const owned = { owner_id: 'owner_reads', runtime_id: 'rt_reads' }
    await db.insertInto('execution_rollups').values(usageRow(owned)).execute()

    for (let count = 1; count <= 100; count += 1) {
      await db
        .updateTable('execution_rollups')
        .set({ executions: count })
        .where('owner_id', '=', 'owner_reads')
        .execute()
      const row = db.selectFrom('execution_rollups').select('executions').where('owner_id', '=', 'owner_reads')
      expect(await row.executeTakeFirst()).toEqual({ executions: count })
    }
  })

  test('reads are answered while a write waits for another process, and the write succeeds', async () => {
    const place = await createEmptyTestPlace(engine)
    const { db, close } = await openDatabase(place.options)
    onTestFinished(close)
    const otherProcess = new SqliteDatabase(place.location)
    otherProcess.exec('begin immediate')

    const write = db.insertInto('execution_rollups').values(usageRow()).execute()
    const transaction = inTransaction(db, (tx) => tx.updateTable('execution_rollups').set({ failed: 1 }).execute())
    const during = await db.selectFrom('execution_rollups').selectAll().execute()
    otherProcess.exec('commit')
    otherProcess.close()
    await Promise.all([write, transaction])

    expect(during).toEqual([])
    expect(await db.selectFrom('execution_rollups').select('failed').execute()).toEqual([{ failed: 1 }])
  })

  test('transactions run in the order of their calls', async () => {
    const order: number[] = []
    const turns = Array.from({ length: 20 }, (_, index) =>
      inTransaction(database().db, async (tx) => {
        order.push(index)
        await sql`select 1`.execute(tx)
        order.push(index)
      }),
    )

    await Promise.all(turns)

    expect(order).toEqual(Array.from({ length: 40 }, (_, index) => Math.floor(index / 2)))
  })

  test('a full disk fails the write and its transaction, but no reads, and later writes succeed', async () => {
    const place = await createEmptyTestPlace(engine)
    const { db, close } = await openDatabase(place.options)
    onTestFinished(close)
    const row = usageRow({ project_id: 'x'.repeat(1_000_000) })
    await sql`pragma max_page_count = 100`.execute(db)

    const write = inTransaction(db, async (tx) => {
      await tx
        .insertInto('execution_rollups')
        .values(usageRow({ runtime_id: 'rt_first' }))
        .execute()
      await tx.insertInto('execution_rollups').values(row).execute()
    })

    await expect(write).rejects.toMatchObject({ code: 'SQLITE_FULL' })
    expect(await db.selectFrom('execution_rollups').selectAll().execute()).toEqual([])
    await sql`pragma max_page_count = 100000`.execute(db)
    await db.insertInto('execution_rollups').values(row).execute()
  })

  test('a transaction that SQLite has rolled back writes nothing further', async () => {
    const { db } = database()

    const transaction = inTransaction(db, async (tx) => {
      await sql`rollback`.execute(tx)
      await tx
        .insertInto('execution_rollups')
        .values(usageRow({ runtime_id: 'rt_after_rollback' }))
        .execute()
    })

    await expect(transaction).rejects.toThrow('rolled back')
    const rows = db.selectFrom('execution_rollups').selectAll().where('runtime_id', '=', 'rt_after_rollback')
    expect(await rows.execute()).toEqual([])
    await inTransaction(db, (tx) => sql`select 1`.execute(tx))
  })

  test('more statements than are cached all succeed', async () => {
    const { db } = database()
    const numbers = [...Array.from({ length: 450 }, (_, index) => index), 0, 449]

    const answers = await Promise.all(numbers.map((number) => sql.raw(`select ${number} as number`).execute(db)))

    expect(answers.map(({ rows }) => rows[0])).toEqual(numbers.map((number) => ({ number })))
  })

  test('the end of the writer rejects waiting and later commands, and is reported once', async () => {
    const { db, workers, errors, file } = await openWatched()
    const otherProcess = new SqliteDatabase(file)
    otherProcess.exec('begin immediate')
    const waiting = [
      db.insertInto('execution_rollups').values(usageRow()).execute(),
      inTransaction(db, (tx) => tx.deleteFrom('execution_rollups').execute()),
    ]
    const outcomes = Promise.allSettled(waiting)
    await db.selectFrom('execution_rollups').selectAll().execute()

    const death = workers.get('writer')?.terminate()
    otherProcess.close()
    await death

    const ended = { code: 'SVC_DATABASE_ENDED' }
    expect(await outcomes).toMatchObject(waiting.map(() => ({ status: 'rejected', reason: ended })))
    await expect(db.deleteFrom('execution_rollups').execute()).rejects.toMatchObject(ended)
    await expect(inTransaction(db, (tx) => sql`select 1`.execute(tx))).rejects.toMatchObject(ended)
    expect(await db.selectFrom('owners').selectAll().execute()).toEqual([])
    expect(errors).toMatchObject([ended])
  })

  test('the end of the reader rejects reads, and writes go on', async () => {
    const { db, workers, errors } = await openWatched()

    await workers.get('reader')?.terminate()

    const ended = { code: 'SVC_DATABASE_ENDED' }
    await expect(db.selectFrom('execution_rollups').selectAll().execute()).rejects.toMatchObject(ended)
    await db.insertInto('execution_rollups').values(usageRow()).execute()
    expect(errors).toMatchObject([ended])
  })

  test('closing waits for the open transaction, ends both threads and reports nothing', async () => {
    const { db, workers, errors, file } = await openWatched()
    const transaction = inTransaction(db, async (tx) => {
      await tx.insertInto('execution_rollups').values(usageRow()).execute()
      await tx.updateTable('execution_rollups').set({ failed: 1 }).execute()
    })
    await db.selectFrom('execution_rollups').selectAll().execute()

    await db.destroy()

    await transaction
    expect([...workers.values()].map((worker) => worker.threadId)).toEqual([-1, -1])
    expect(errors).toEqual([])
    const reopened = new SqliteDatabase(file)
    expect(reopened.prepare('select failed from execution_rollups').all()).toEqual([{ failed: 1 }])
    reopened.close()
  })

  /** A database whose threads the test can reach. */
  async function openWatched() {
    const { location: file } = await createEmptyTestPlace(engine)
    const workers = new Map<'writer' | 'reader', Worker>()
    const errors: unknown[] = []
    const dialect = createSqliteDialect({
      file,
      onError: (error) => errors.push(error),
      startWorker: (assignment) => {
        const worker = startSqliteWorker(assignment)
        workers.set(assignment.role, worker)
        return worker
      },
    })
    const db = new Kysely<Schema>({ dialect })
    onTestFinished(() => db.destroy())
    await migrate(db, 'sqlite')
    return { db, workers, errors, file }
  }
})
