import { expect, test } from 'vitest'
import { inTransaction, type Tx } from '../../src/store/transaction.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { usageRow } from './rows.ts'

describeEngines('a transaction', (engine) => {
  const database = useDatabase(engine)

  test('200 that lock, read and write a row, ten at once, lose no update', async () => {
    await insertCounter('rt_locked')
    // The number of connections in the pool: a further one would wait, as long as the pool allows.
    const line = async () => {
      for (let done = 0; done < 20; done += 1) await inTransaction(database().db, (tx) => addOne(tx, 'rt_locked'))
    }

    await Promise.all(Array.from({ length: 10 }, line))

    expect(await count('rt_locked')).toBe(200)
  })

  test.each([
    ['Connection terminated unexpectedly', 4],
    ['timeout exceeded when trying to connect', 1],
    ['Connection terminated due to connection timeout', 1],
  ])('after a connection error (%s) is tried %i times', async (message, expected) => {
    let tries = 0
    const outcome = inTransaction(database().db, async () => {
      tries += 1
      throw new Error(message)
    })
    await expect(outcome).rejects.toThrow(message)
    expect(tries).toBe(expected)
  })

  test('an error rolls earlier writes back and is thrown unchanged', async () => {
    await insertCounter('rt_undone')
    const failure = new Error('changed my mind')

    const outcome = inTransaction(database().db, async (tx) => {
      await addOne(tx, 'rt_undone')
      throw failure
    })

    await expect(outcome).rejects.toBe(failure)
    expect(await count('rt_undone')).toBe(0)
  })

  test.each(['40001', '40P01', '55P03', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT'])(
    'a conflict (%s) is retried, without the effects of the first try',
    async (code) => {
      const runtime = `rt_conflict_${code}`
      await insertCounter(runtime)
      let tries = 0

      await inTransaction(database().db, async (tx) => {
        tries += 1
        await addOne(tx, runtime)
        if (tries <= 3) throw conflict(code)
      })

      expect(tries).toBe(4)
      expect(await count(runtime)).toBe(1)
    },
  )

  test('a lasting conflict is thrown after three retries', async () => {
    let tries = 0

    const outcome = inTransaction(database().db, async () => {
      tries += 1
      throw conflict('40001')
    })

    await expect(outcome).rejects.toMatchObject({ code: '40001' })
    expect(tries).toBe(4)
  })

  test('a constraint violation is not retried', async () => {
    let tries = 0

    const outcome = inTransaction(database().db, async (tx) => {
      tries += 1
      await tx.insertInto('execution_rollups').values([usageRow(), usageRow()]).execute()
    })

    await expect(outcome).rejects.toThrow(/unique/i)
    expect(tries).toBe(1)
  })

  test('others see its writes once they are committed, and not before', async () => {
    await insertCounter('rt_seen')

    const during = await inTransaction(database().db, async (tx) => {
      await addOne(tx, 'rt_seen')
      return count('rt_seen')
    })

    expect([during, await count('rt_seen')]).toEqual([0, 1])
  })

  function insertCounter(runtimeId: string) {
    return database()
      .db.insertInto('execution_rollups')
      .values(usageRow({ owner_id: 'owner_counts', runtime_id: runtimeId }))
      .execute()
  }

  async function count(runtimeId: string): Promise<number> {
    const rows = database().db.selectFrom('execution_rollups').select('executions').where('runtime_id', '=', runtimeId)
    return (await rows.executeTakeFirstOrThrow()).executions
  }
})

async function addOne(tx: Tx, runtimeId: string): Promise<void> {
  const executions = await lockCount(tx, runtimeId)
  await writeCount(tx, runtimeId, executions + 1)
}

async function lockCount(tx: Tx, runtimeId: string): Promise<number> {
  const row = tx.selectFrom('execution_rollups').select('executions').where('runtime_id', '=', runtimeId).forUpdate()
  return (await row.executeTakeFirstOrThrow()).executions
}

async function writeCount(tx: Tx, runtimeId: string, executions: number): Promise<void> {
  await tx.updateTable('execution_rollups').set({ executions }).where('runtime_id', '=', runtimeId).execute()
}

function conflict(code: string): Error {
  return Object.assign(new Error('lost against another transaction'), { code })
}
