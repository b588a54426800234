import { Kysely } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { insertStatement, runRows } from '../../src/database/row-statement.ts'
import type { Schema } from '../../src/database/schema.ts'
import { createSqliteDialect } from '../../src/database/sqlite-driver.ts'
import { startSqliteWorker } from '../../src/database/sqlite-thread.ts'
import { commitAlong, inTransaction, type Tx } from '../../src/database/transaction.ts'
import { createTestPlace, describeEngine, describeEngines, useDatabase } from '../support/engines.ts'

const INSERT = insertStatement('usage_journal', { usages: 'text' })
const INSERT_FAILED = insertStatement('usage_journal', { usages: 'text', is_parked: 'bigint' })

const insert = (tx: Tx) => runRows(tx, INSERT, [{ usages: '[]' }])
const fail = (tx: Tx) => runRows(tx, INSERT_FAILED, [{ usages: '[]', is_parked: 2 }])

describeEngine('sqlite', 'statements that do not wait for each other', (engine) => {
  test('go over in one message, with the begin before them and the commit behind', async () => {
    const { location: file } = await createTestPlace(engine)
    const posts: unknown[] = []
    const dialect = createSqliteDialect({
      file,
      onError: (error) => expect.fail(String(error)),
      startWorker: (assignment) => {
        const worker = startSqliteWorker(assignment)
        const post = worker.postMessage.bind(worker)
        vi.spyOn(worker, 'postMessage').mockImplementation((message: unknown) => {
          posts.push(message)
          post(message)
        })
        return worker
      },
    })
    const db = new Kysely<Schema>({ dialect })
    onTestFinished(() => db.destroy())
    await migrate(db, 'sqlite')
    posts.length = 0
    await inTransaction(db, (tx) => Promise.all([insert(tx), insert(tx), commitAlong(tx)]))
    expect(posts).toHaveLength(1)
    expect(await db.selectFrom('usage_journal').select('id').execute()).toHaveLength(2)
  })
})

describeEngines('where one of several statements fails', (engine) => {
  const database = useDatabase(engine)

  test('whoever hears of it first hears of that one, and nothing is done', async () => {
    const nested = async (tx: Tx) => {
      await Promise.all([(async () => Promise.all([fail(tx)]))()])
    }
    const work = (tx: Tx) => Promise.all([insert(tx), nested(tx), insert(tx), commitAlong(tx)])
    await expect(inTransaction(database().db, work)).rejects.toThrow(/constraint/i)
    expect(await database().db.selectFrom('usage_journal').select('id').execute()).toEqual([])
  })
})
