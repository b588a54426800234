import fc from 'fast-check'
import type { Selectable } from 'kysely'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUsageAggregation } from '../../src/analytics/aggregation.ts'
import { LEASE_MS } from '../../src/executions/node-lease.ts'
import type { ExecutionEnd, NewRow, Settlement } from '../../src/executions/settlement-rules.ts'
import { createIds } from '../../src/lib/ids.ts'
import type { Database } from '../../src/store/database.ts'
import { DURATION_BUCKET_COLUMNS, EXECUTION_COUNTERS, type Schema } from '../../src/store/schema.ts'
import { usageOfHour } from '../../src/usage/hourly-usage-store.ts'
import { type CounterIncrement, type Usage, UsageTotals } from '../../src/usage/rollup-rules.ts'
import { executionRow } from '../store/rows.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene, takeOver } from '../support/replicas.ts'
import { dumpTables, executed, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability, startService } from '../support/service.ts'
import { settleBatch, settlement as settlementOf } from '../support/settlement.ts'

const HOUR_MS = 3_600_000
const HOUR = Date.parse('2026-03-01T12:00:00Z')
const DAY = Date.parse('2026-03-01T00:00:00Z')
const GRAINS = ['hour', 'day'] as const

/** What this owner's counters of one grain come to. */
async function counted({ db }: Database, ownerId: string, grain: 'hour' | 'day') {
  const clock = createTestClock()
  const counting = { db, logger: pino({ level: 'silent' }), clock, newId: createIds(clock) }
  await createUsageAggregation(counting).catchUp()
  const ofOwner = <T extends { owner_id: string; grain: string }>(rows: T[]) =>
    rows.filter((row) => row.owner_id === ownerId && row.grain === grain)
  const executions = ofOwner(await db.selectFrom('execution_rollups').selectAll().execute())
  const capabilityCalls = ofOwner(await db.selectFrom('call_rollups').selectAll().execute())
  const total = (rows: readonly Partial<Selectable<Schema['execution_rollups']>>[], columns: readonly Column[]) =>
    rows.reduce((sum, row) => sum + columns.reduce((all, column) => all + (row[column] ?? 0), 0), 0)
  const byCapability = new Map<string, { calls: number; failed: number; timed: number }>()
  for (const row of capabilityCalls) {
    const sums = byCapability.get(row.capability) ?? { calls: 0, failed: 0, timed: 0 }
    const timed = sums.timed + total([row], DURATION_BUCKET_COLUMNS)
    byCapability.set(row.capability, { calls: sums.calls + row.calls, failed: sums.failed + row.failed, timed })
  }
  return {
    starts: [...new Set([...executions, ...capabilityCalls].map(({ at }) => at))],
    ...Object.fromEntries(EXECUTION_COUNTERS.map((column) => [column, total(executions, [column])])),
    timed: total(executions, DURATION_BUCKET_COLUMNS),
    capabilities: Object.fromEntries(byCapability),
  }
}

type Column = (typeof EXECUTION_COUNTERS)[number] | (typeof DURATION_BUCKET_COLUMNS)[number]

const settlement = (begun: Partial<NewRow> = {}, end: Partial<ExecutionEnd> = {}) =>
  settlementOf({ owner_id: 'owner_rolled', ...begun }, end)

function call(name: string, callId: string, durationMs: number): ExecutionEnd['calls'][number] {
  const outcome = { status: 'completed', output: 'null', error: null } as const
  return { callId, ordinal: 0, capability: name, step: 1, input: '{}', startedAt: HOUR, durationMs, ...outcome }
}

async function admit({ db }: Database, settlements: readonly Settlement[]): Promise<void> {
  const rows = settlements.map((each) =>
    executionRow({
      owner_id: each.row.owner_id,
      execution_id: each.row.execution_id,
      runtime_id: each.usage.runtimeId,
      started_at: each.usage.startedAt,
    }),
  )
  for (let start = 0; start < rows.length; start += 500) {
    await db
      .insertInto('executions')
      .values(rows.slice(start, start + 500))
      .execute()
  }
}

describeEngines('the roll-ups of usage', (engine) => {
  const database = useDatabase(engine)

  // holds ANA-10
  test('count every execution and call once, by hour and by day, with concurrent ends on two replicas', async () => {
    const { a, b } = await setReplicatedScene(engine, {
      tier: 'enterprise',
      manifest: { capabilities: [capability('echo'), capability('broken')] },
      handle: { broken: () => ({ error: 'It is broken.' }) },
    })
    const replicas = [a, b]
    const eachTime = replicas.flatMap((replica) =>
      Array.from({ length: 15 }, () => [
        () => replica.execute(),
        () => replica.call({ capability: 'echo' }),
        () => replica.call({ capability: 'broken' }),
        () => replica.broker('echo'),
      ]).flat(),
    )
    const answers = await Promise.all(eachTime.map((send) => send()))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(eachTime.map(() => 200))
    const expected = {
      executions: 120,
      completed: 90,
      failed: 30,
      anonymous: 30,
      capability_calls: 90,
      input_tokens: 210,
      output_tokens: 90,
      duration_ms: 0,
      timed: 120,
      capabilities: { echo: { calls: 60, failed: 0, timed: 60 }, broken: { calls: 30, failed: 30, timed: 30 } },
    }
    const { ownerId } = a.owner
    expect(await counted(a.database, ownerId, 'hour')).toEqual({ starts: [HOUR], ...expected })
    expect(await counted(a.database, ownerId, 'day')).toEqual({ starts: [DAY], ...expected })
    expect(await usageOfHour(a.database.db, ownerId, HOUR)).toMatchObject({
      executions: 120,
      anonymous: 30,
      capabilityCalls: 90,
      inputTokens: 210,
      outputTokens: 90,
    })
  })

  test('of the present hour hold nothing of other hours or of other owners', async () => {
    const scene = await setScene(database())
    executed(await scene.execute())
    const of = (ownerId: string, hour: number) => usageOfHour(scene.database.db, ownerId, hour)
    const { ownerId } = scene.owner
    const nothing = { executions: 0, anonymous: 0, capabilityCalls: 0, inputTokens: 0, outputTokens: 0 }
    expect(await of(ownerId, HOUR)).toMatchObject({ ...nothing, executions: 1, inputTokens: 7, outputTokens: 3 })
    expect(await of(ownerId, HOUR + HOUR_MS)).toMatchObject(nothing)
    expect(await of(ownerId, DAY)).toMatchObject(nothing)
    expect(await of('owner_nobody', HOUR)).toMatchObject(nothing)
  })

  test('count interrupted executions as failed and their open calls as unknown, without unknown durations', async () => {
    const gate = createGate()
    onTestFinished(() => gate.open())
    const echo = async () => {
      await gate.enter()
      return { output: 'late' }
    }
    const { a } = await setReplicatedScene(engine, { handle: { echo } })
    const other = await startService(a.database, { masterKey: a.service.masterKey, clock: createTestClock() })
    onTestFinished(() => other.close())
    await a.service.renew()
    a.service.model.say(calls({ name: 'echo', input: {} }, { name: 'echo', input: {} }), text('done'))
    const interrupted = a.execute()
    await gate.arrived(2)
    await takeOver(other)
    gate.open()
    await interrupted
    for (const grain of GRAINS) {
      expect(await counted(a.database, a.owner.ownerId, grain)).toMatchObject({
        executions: 1,
        completed: 0,
        failed: 1,
        capability_calls: 2,
        timed: 1,
        duration_ms: LEASE_MS + 1,
        capabilities: { echo: { calls: 2, failed: 0, timed: 0 } },
      })
    }
  })

  test('count an execution that another node has ended once', async () => {
    const only = settlement({ owner_id: 'owner_twice' }, { calls: [call('echo', 'call_twice', 12)] })
    await admit(database(), [only])
    const both = await Promise.all([1, 2].map(() => settleBatch(database().db, [only])))
    expect(both.flat().sort()).toEqual([false, true])
    expect(await settleBatch(database().db, [only])).toEqual([false])
    expect(await counted(database(), 'owner_twice', 'day')).toMatchObject({ executions: 1, capability_calls: 1 })
  })

  test('take a batch that touches more counters than one statement holds', async () => {
    const batch = Array.from({ length: 512 }, (_, index) =>
      settlement(
        { owner_id: 'owner_many', runtime_id: `rt_${index}` },
        { calls: [call('echo', `call_${index}_a`, 1), call('echo', `call_${index}_b`, 90_000)] },
      ),
    )
    await admit(database(), batch)
    expect(new Set(await settleBatch(database().db, batch))).toEqual(new Set([true]))
    for (const grain of GRAINS) {
      expect(await counted(database(), 'owner_many', grain)).toMatchObject({
        executions: 512,
        duration_ms: 512 * 250,
        timed: 512,
        capabilities: { echo: { calls: 1_024, failed: 0, timed: 1_024 } },
      })
    }
  })

  test('do not lock each other out when replicas settle for the same runtimes in opposite orders', async () => {
    const runtimes = Array.from({ length: 40 }, (_, index) => `rt_${index}`)
    const batches = Array.from({ length: 16 }, (_, index) => {
      const order = index % 2 === 0 ? runtimes : runtimes.toReversed()
      return order.map((runtime_id) => settlement({ owner_id: 'owner_crossing', runtime_id }))
    })
    await admit(database(), batches.flat())
    await Promise.all(batches.map((batch) => settleBatch(database().db, batch)))
    expect(await counted(database(), 'owner_crossing', 'hour')).toMatchObject({ executions: 640, timed: 640 })
  })

  test('hold no payload and no message text', async () => {
    const scene = await setScene(database())
    scene.service.model.say(calls({ name: 'echo', input: { text: 'a payload' } }), text('a word'))
    executed(await scene.execute())
    await scene.service.deps.aggregation.catchUp()
    const tables = (await dumpTables(scene.database)).split('\n').filter((table) => table.includes('"grain"'))
    expect(tables).toHaveLength(2)
    expect(tables.join()).not.toMatch(/a payload|a word/)
  })
})

describe('aggregating executions into counters', () => {
  const usage: fc.Arbitrary<Usage> = fc.record({
    ownerId: fc.constantFrom('owner_1', 'owner_2'),
    runtimeId: fc.constantFrom('rt_1', 'rt_2', 'rt_10'),
    projectId: fc.constantFrom('proj_1', 'proj_2'),
    deploymentVersion: fc.option(fc.nat(3)),
    storedBytes: fc.nat(1_000),
    startedAt: fc.integer({ min: HOUR - 2 * HOUR_MS, max: HOUR + 2 * HOUR_MS }),
    isCompleted: fc.boolean(),
    isAnonymous: fc.boolean(),
    inputTokens: fc.nat(1_000),
    outputTokens: fc.nat(1_000),
    durationMs: fc.nat(400_000),
    calls: fc.array(
      fc.record({
        capability: fc.constantFrom('echo', 'search'),
        isCompleted: fc.boolean(),
        isUnknown: fc.boolean(),
        durationMs: fc.option(fc.nat(30_000)),
      }),
      { maxLength: 3 },
    ),
  })
  const usages = fc.array(usage, { minLength: 1, maxLength: 40 })
  const rolledUp = (given: readonly Usage[]) => {
    const totals = new UsageTotals()
    for (const each of given) totals.add([each])
    return totals
  }
  const sumOf = (rollups: readonly CounterIncrement[], counters: readonly string[]) =>
    sum(rollups.flatMap(({ counts }) => counters.map((counter) => counts[counter] ?? 0)))
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

  test('gives the same counters in the same order for any order of executions', () => {
    fc.assert(
      fc.property(usages, (given) => {
        const [one, other] = [rolledUp(given.toReversed()), rolledUp(given)]
        expect([one.executions, one.calls]).toEqual([other.executions, other.calls])
      }),
      { numRuns: 200, seed: 5 },
    )
  })

  test('loses nothing and counts nothing twice, in either grain', () => {
    fc.assert(
      fc.property(usages, fc.constantFrom(...GRAINS), (given, grain) => {
        const executions = rolledUp(given).executions.filter(({ key }) => key.grain === grain)
        expect(sumOf(executions, ['executions'])).toBe(given.length)
        expect(sumOf(executions, DURATION_BUCKET_COLUMNS)).toBe(given.length)
        expect(sumOf(executions, ['duration_ms'])).toBe(sum(given.map((each) => each.durationMs)))
        const made = given.flatMap((each) => each.calls)
        const timed = made.filter(({ durationMs }) => durationMs !== null)
        const callRollups = rolledUp(given).calls.filter(({ key }) => key.grain === grain)
        expect(sumOf(callRollups, ['calls'])).toBe(made.length)
        expect(sumOf(callRollups, ['unknown'])).toBe(made.filter(({ isUnknown }) => isUnknown).length)
        expect(sumOf(callRollups, DURATION_BUCKET_COLUMNS)).toBe(timed.length)
      }),
      { numRuns: 200, seed: 6 },
    )
  })
})
