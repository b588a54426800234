import { expect, test } from 'vitest'
import { insertStatement, rowStatement, runRows } from '../../src/database/row-statement.ts'
import { inTransaction } from '../../src/database/transaction.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'

const INSERT = insertStatement('allowances', { owner_id: 'text', bucket: 'text', full_at: 'bigint' })
const READ = rowStatement(
  { owner_id: 'text', bucket: 'text' },
  ({ given, forUpdateOf }) => `select allowances.bucket, allowances.full_at from ${given}
    join allowances on allowances.owner_id = given.owner_id and allowances.bucket = given.bucket
    order by allowances.bucket ${forUpdateOf('allowances')}`,
)

describeEngines('a statement for many rows', (engine) => {
  const database = useDatabase(engine)

  function read(ownerId: string, buckets: readonly string[]) {
    const rows = buckets.map((bucket) => ({ owner_id: ownerId, bucket }))
    return inTransaction(database().db, (tx) =>
      runRows<{ bucket: string; full_at: number }, typeof READ.columns>(tx, READ, rows),
    )
  }

  test('writes and reads every row as it was given, whatever its text', async () => {
    const texts = ['', 'a"b', "it's", '\\u0000', '\\', '{"a":[1]}', 'line\nline', '“ö” 👋', '@owner_id', '$1']
    const rows = texts.map((bucket, index) => ({ owner_id: 'owner_texts', bucket, full_at: 2 ** 53 - 1 - index }))
    await runRows(database().db, INSERT, rows)
    const answers = await read('owner_texts', [...texts, 'absent'])
    expect(new Map(answers.map((row) => [row.bucket, row.full_at]))).toEqual(
      new Map(rows.map((row) => [row.bucket, row.full_at])),
    )
  })

  test('stores half of a surrogate pair as the sign for what is no character', async () => {
    await runRows(database().db, INSERT, [{ owner_id: 'owner_half', bucket: 'a\ud83d', full_at: 1 }])
    expect(await read('owner_half', ['a\ufffd'])).toEqual([{ bucket: 'a\ufffd', full_at: 1 }])
  })

  test('writes all rows or none, outside of a transaction too', async () => {
    const rows = ['a', 'b', 'a'].map((bucket) => ({ owner_id: 'owner_twice', bucket, full_at: 1 }))
    await expect(runRows(database().db, INSERT, rows)).rejects.toThrow(/unique/i)
    expect(await read('owner_twice', ['a', 'b'])).toEqual([])
  })

  test('fails the transaction that does not wait for it before the next', async () => {
    const row = (bucket: string) => ({ owner_id: 'owner_both', bucket, full_at: 1 })
    const both = inTransaction(database().db, (tx) =>
      Promise.all([runRows(tx, INSERT, [row('a'), row('a')]), runRows(tx, INSERT, [row('b')])]),
    )
    await expect(both).rejects.toThrow(/unique/i)
    expect(await read('owner_both', ['a', 'b'])).toEqual([])
  })

  test('does nothing for no rows', async () => {
    expect(await read('owner_texts', [])).toEqual([])
  })
})
