import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertRecordset, type RecordsetRow, recordset } from '../../src/store/recordset.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'

const INSERT = { of: 'allowances', columns: ['owner_id', 'bucket', 'full_at'] } as const

describeEngines('rows as a JSON parameter', (engine) => {
  const database = useDatabase(engine)
  const insert = (rows: readonly RecordsetRow[]) =>
    database()
      .db.transaction()
      .execute((tx) => insertRecordset(tx, INSERT, rows))

  async function read(ownerId: string, buckets: readonly string[]) {
    const rows = buckets.map((bucket) => ({ owner_id: ownerId, bucket }))
    const given = recordset(database().db, { of: 'allowances', columns: ['owner_id', 'bucket'] }, rows)
    const found = await sql<{ bucket: string; full_at: number }>`select allowances.bucket, allowances.full_at
      from ${given} join allowances on allowances.owner_id = given.owner_id and allowances.bucket = given.bucket
      order by allowances.bucket`.execute(database().db)
    return found.rows
  }

  test('are written and read unchanged, whatever their text', async () => {
    const texts = ['', 'a"b', "it's", '\\u0000', '\\', '{"a":[1]}', 'line\nline', '“ö” 👋', '@owner_id', '$1']
    const rows = texts.map((bucket, index) => ({ owner_id: 'owner_texts', bucket, full_at: 2 ** 53 - 1 - index }))
    await insert(rows)
    const answers = await read('owner_texts', [...texts, 'absent'])
    expect(new Map(answers.map((row) => [row.bucket, row.full_at]))).toEqual(
      new Map(rows.map((row) => [row.bucket, row.full_at])),
    )
  })

  test('hold U+FFFD in place of an unpaired surrogate', async () => {
    await insert([{ owner_id: 'owner_half', bucket: 'a\ud83d', full_at: 1 }])
    expect(await read('owner_half', ['a\ufffd'])).toEqual([{ bucket: 'a\ufffd', full_at: 1 }])
  })

  test('are written together or not at all', async () => {
    const rows = ['a', 'b', 'a'].map((bucket) => ({ owner_id: 'owner_twice', bucket, full_at: 1 }))
    await expect(insert(rows)).rejects.toThrow(/unique/i)
    expect(await read('owner_twice', ['a', 'b'])).toEqual([])
  })

  test('may be an empty list', async () => {
    await insert([])
    expect(await read('owner_texts', [])).toEqual([])
  })
})
