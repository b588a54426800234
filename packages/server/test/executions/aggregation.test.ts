import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createUsageAggregation } from '../../src/analytics/aggregation.ts'
import { createIds } from '../../src/lib/ids.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import type { Schema } from '../../src/store/schema.ts'
import { inTransaction } from '../../src/store/transaction.ts'
import { FURTHER_CAPABILITIES } from '../../src/usage/counter-names.ts'
import { usageOfHour } from '../../src/usage/hourly-usage-store.ts'
import { type Usage, UsageTotals } from '../../src/usage/rollup-rules.ts'
import { createTestClock } from '../support/clock.ts'
import { createTestPlace, describeEngine, describeEngines, type TestEngine } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { executed } from '../support/scene.ts'
import { journalEntry } from '../support/settlement.ts'

const HOUR = Date.parse('2026-03-01T12:00:00Z')

async function open(engine: TestEngine): Promise<Database> {
  const place = await createTestPlace(engine)
  const database = await openDatabase(place.options)
  onTestFinished(() => database.close())
  return database
}

function usage(changes: Partial<Usage> = {}): Usage {
  return {
    ownerId: 'owner_1',
    runtimeId: 'rt_1',
    projectId: 'proj_1',
    deploymentVersion: 1,
    storedBytes: 10,
    startedAt: HOUR + 1,
    isCompleted: true,
    isAnonymous: false,
    inputTokens: 2,
    outputTokens: 1,
    durationMs: 5,
    calls: [{ capability: 'echo', isCompleted: true, isUnknown: false, durationMs: 3 }],
    ...changes,
  }
}

async function journal({ db }: Database, usages: readonly Usage[]): Promise<void> {
  await db.insertInto('usage_journal').values(journalEntry(usages)).execute()
}

function folding({ db }: Database, lines: string[] = []) {
  const logger = pino({}, { write: (line: string) => lines.push(line) })
  const clock = createTestClock()
  return createUsageAggregation({ db, logger, clock, newId: createIds(clock) })
}

/** Executions by the counters alone, without what waits. */
async function counted(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ executions: number | null }>`
    select sum(executions) as executions from execution_rollups where grain = 'hour'
  `.execute(db)
  return rows[0]?.executions ?? 0
}

async function waiting({ db }: Database): Promise<{ usages: string; is_parked: number }[]> {
  return db.selectFrom('usage_journal').select(['usages', 'is_parked']).orderBy('id').execute()
}

describeEngines('the journal of usage', (engine) => {
  test('is added to the counters once, with concurrent aggregations, reads and writes', async () => {
    const first = await open(engine)
    const write = async (index: number) =>
      journal(first, [usage({ runtimeId: `rt_${index}` }), usage({ runtimeId: `rt_${39 - index}` })])
    const writing = Array.from({ length: 4 }, async (_, writer) => {
      for (let index = writer; index < 40; index += 4) await write(index)
    })
    // Of SQLite there is one server, and it folds for all.
    const one = folding(first)
    const reading = Array.from({ length: 3 }, async () => {
      const replica = engine.name === 'sqlite' ? one : folding(first)
      for (let times = 0; times < 5; times += 1) await Promise.all([replica.catchUp(), replica.catchUp()])
    })
    await Promise.all([...writing, ...reading])
    await folding(first).catchUp()
    expect([await counted(first.db), await waiting(first)]).toEqual([80, []])
  })

  test('counts entries that reuse the ids of aggregated ones, with two aggregations at once', async () => {
    const database = await open(engine)
    const write = (first: number) =>
      inTransaction(database.db, async (tx) => {
        for (let entry = first; entry < first + 20; entry += 1) {
          const usages = Array.from({ length: 250 }, (_, call) =>
            usage({ runtimeId: `rt_${entry}`, startedAt: HOUR + call }),
          )
          await tx.insertInto('usage_journal').values(journalEntry(usages)).execute()
        }
      })
    await write(0)
    const { catchUp } = folding(database)
    let adds = 0
    let second: Promise<void> | undefined
    const add = UsageTotals.prototype.add
    const spy = vi.spyOn(UsageTotals.prototype, 'add').mockImplementation(function (this: UsageTotals, usages) {
      adds += 1
      if (adds === 10) second = catchUp()
      add.call(this, usages)
    })
    onTestFinished(() => spy.mockRestore())
    await catchUp().then(() => write(20))
    await second
    await catchUp()
    const rows = await database.db
      .selectFrom('execution_rollups')
      .select('executions')
      .where('grain', '=', 'hour')
      .execute()
    expect(rows.map(({ executions }) => executions)).toEqual(Array.from({ length: 40 }, () => 250))
  })

  test('is counted by the next process after one that was killed before it aggregated', async () => {
    const { a, b } = await setReplicatedScene(engine)
    executed(await a.execute())
    expect([await counted(a.database.db), (await waiting(a.database)).length]).toEqual([0, 1])
    await b.service.deps.aggregation.catchUp()
    expect([await counted(a.database.db), await waiting(a.database)]).toEqual([1, []])
  })

  // holds ANA-10
  test('is in the usage that an owner reads on another replica, right after the answer', async () => {
    const { a, b } = await setReplicatedScene(engine)
    executed(await a.execute())
    const read = async (url: string) => (await b.service.send('GET', url, { key: a.owner.apiKey })).json()
    expect(await read('/v1/billing/usage')).toMatchObject({ executions: { used: 1 }, totalTokens: 10 })
    executed(await b.execute())
    expect(await read('/v1/analytics/summary')).toMatchObject({ totals: { executions: 2 } })
  })

  // holds ANA-07
  test('is counted by 200 names of a runtime for each hour and day, further ones under one name', async () => {
    const database = await open(engine)
    const { catchUp } = folding(database)
    const called = (from: number) =>
      Array.from({ length: 90 }, (_, index) => ({
        capability: `c${from + index}`,
        isCompleted: true,
        isUnknown: false,
        durationMs: 3,
      }))
    for (const from of [0, 90, 180, 0]) {
      await journal(database, [usage({ calls: called(from) }), usage({ runtimeId: 'rt_2' })])
      await catchUp()
    }
    for (const grain of ['hour', 'day'] as const) {
      const rows = await database.db
        .selectFrom('call_rollups')
        .select(['runtime_id', 'capability', 'calls'])
        .where('grain', '=', grain)
        .execute()
      expect(rows).toHaveLength(201 + 1)
      const of = (name: string) => rows.find(({ capability }) => capability === name)
      expect([of('c0')?.calls, of('c199')?.calls, of('c200')]).toEqual([2, 1, undefined])
      expect(of(FURTHER_CAPABILITIES)).toMatchObject({ runtime_id: 'rt_1', calls: 70 })
      expect(of('echo')).toMatchObject({ runtime_id: 'rt_2', calls: 4 })
    }
  })

  test('is counted in the present hour before it is aggregated, and not twice after', async () => {
    const database = await open(engine)
    await journal(database, [usage(), usage({ ownerId: 'owner_2' }), usage({ startedAt: HOUR - 1 })])
    const expected = { executions: 1, anonymous: 0, capabilityCalls: 1, inputTokens: 2, outputTokens: 1 }
    expect(await usageOfHour(database.db, 'owner_1', HOUR)).toMatchObject(expected)
    await folding(database).catchUp()
    expect(await usageOfHour(database.db, 'owner_1', HOUR)).toMatchObject(expected)
  })

  test('makes unreadable entries dead letters, logs them, and counts the others', async () => {
    const database = await open(engine)
    const bad = ['{', '[{"ownerId":"owner_1"}]', JSON.stringify([{ ...usage(), durationMs: 1.5 }])]
    await journal(database, [usage()])
    for (const usages of bad) await database.db.insertInto('usage_journal').values({ usages }).execute()
    await journal(database, [usage()])
    expect(await usageOfHour(database.db, 'owner_1', HOUR)).toMatchObject({ executions: 2 })
    const lines: string[] = []
    await folding(database, lines).catchUp()
    await folding(database, lines).catchUp()
    expect(await counted(database.db)).toBe(2)
    expect(await waiting(database)).toEqual(bad.map((usages) => ({ usages, is_parked: 1 })))
    expect(lines).toHaveLength(3)
    expect(lines.join()).not.toContain('owner_1')
  })

  test('keeps everything where the counters cannot be written, until they can', async () => {
    const database = await open(engine)
    await journal(database, [usage()])
    await sql`alter table call_rollups rename to call_rollups_gone`.execute(database.db)
    await expect(folding(database).catchUp()).rejects.toThrow(/call_rollups/)
    expect([await counted(database.db), await waiting(database)]).toMatchObject([0, [{ is_parked: 0 }]])
    await sql`alter table call_rollups_gone rename to call_rollups`.execute(database.db)
    await folding(database).catchUp()
    expect([await counted(database.db), await waiting(database)]).toEqual([1, []])
  })

  test('is aggregated in several transactions where it is long', async () => {
    const database = await open(engine)
    await inTransaction(database.db, async (tx) => {
      for (let entry = 0; entry < 150; entry += 1)
        await tx
          .insertInto('usage_journal')
          .values(journalEntry([usage()]))
          .execute()
    })
    await folding(database).catchUp()
    expect([await counted(database.db), await waiting(database)]).toEqual([150, []])
  })
})

describeEngines('the aggregation of thousands of executions', (engine) => {
  test('blocks neither the event loop nor the database', async () => {
    const database = await open(engine)
    const entry = Array.from({ length: 500 }, (_, index) => usage({ runtimeId: `rt_${index}` }))
    await inTransaction(database.db, async (tx) => {
      for (let index = 0; index < 6; index += 1)
        await tx.insertInto('usage_journal').values(journalEntry(entry)).execute()
    })
    let others: Promise<number> | undefined
    let inTurn = 0
    const turns: number[] = []
    const add = UsageTotals.prototype.add
    const spy = vi.spyOn(UsageTotals.prototype, 'add').mockImplementation(function (this: UsageTotals, usages) {
      others ??= inTransaction(database.db, counted)
      if (inTurn === 0) void nextTurn().then(() => (inTurn = 0))
      if (inTurn === 0) turns.push(0)
      inTurn += usages.length
      turns[turns.length - 1] = inTurn
      add.call(this, usages)
    })
    onTestFinished(() => spy.mockRestore())
    await folding(database).catchUp()
    expect(Math.max(...turns)).toBeLessThanOrEqual(500)
    expect([await others, await counted(database.db)]).toEqual([0, 3_000])
  })
})

describeEngine('postgres', 'an entry of the journal that the counters refuse', (engine) => {
  test('is found among the others and becomes a dead letter', async () => {
    const database = await open(engine)
    // PostgreSQL has no such character in its texts.
    const refused = usage({ runtimeId: 'rt_\u0000' })
    for (const each of [usage(), usage(), refused, usage()]) await journal(database, [each])
    const lines: string[] = []
    await folding(database, lines).catchUp()
    expect(await counted(database.db)).toBe(3)
    expect(await waiting(database)).toMatchObject([{ is_parked: 1 }])
    expect(lines).toHaveLength(1)
  })
})
