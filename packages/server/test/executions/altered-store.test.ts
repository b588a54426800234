import { expect, onTestFinished, test } from 'vitest'
import type { Batch, BatchContext, BatchOutcomes } from '../../src/executions/batch-rules.ts'
import { createBatchStore, type WriteBatch } from '../../src/executions/batch-store.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { createGate } from '../support/deferred.ts'
import { createTestPlace, describeEngine, type TestEngine } from '../support/engines.ts'
import { executed, type Scene, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { storedCalls } from '../support/stored-calls.ts'

type Alter = (write: WriteBatch, database: Database) => WriteBatch

const UNIT_MS = 36_000

/** A service whose store was altered: what the store promises is then for somebody else to miss. */
async function openAltered(engine: TestEngine, alter: Alter): Promise<Scene> {
  const place = await createTestPlace(engine)
  const database = await openDatabase(place.options)
  onTestFinished(() => database.close())
  const write = alter(createBatchStore(database.db), database)
  const scene = await setScene(database, { write })
  scene.service.model.say(calls({ name: 'echo', input: {} }, { name: 'echo', input: {} }), text('Done.'))
  return scene
}

/** Invariants of a quiet service that do not hold, by name. */
async function broken(scene: Scene, told: readonly { executionId: string; status: string }[]): Promise<string[]> {
  const { db } = scene.database
  const rows = await db.selectFrom('executions').selectAll().execute()
  const statuses = new Map(rows.map((row) => [row.execution_id, row.status]))
  const ended = rows.filter(({ status }) => status !== 'running')
  const bucket = await db
    .selectFrom('allowances')
    .select('full_at')
    .where('bucket', '=', 'executions')
    .executeTakeFirst()
  const drawn = bucket === undefined ? 0 : (bucket.full_at - scene.service.clock.now()) / UNIT_MS
  const written = new Set((await storedCalls(scene.database)).map(({ callId }) => callId))
  const usage = await scene.usage()
  const sum = (column: 'call_count' | 'input_tokens') => ended.reduce((total, row) => total + row[column], 0)
  const invariants = {
    'acknowledged executions are stored': told.every((one) => statuses.get(one.executionId) === one.status),
    'stored executions were asked for': rows.length === told.length,
    'nothing runs': ended.length === rows.length,
    'the quota is what was admitted': Math.round(drawn) === rows.length,
    'usage is what was executed': usage.executions === ended.length && usage.capability_calls === sum('call_count'),
    'tokens are metered once': usage.input_tokens === sum('input_tokens'),
    'effects are written down': scene.endpoint.effects.every(({ callId }) => written.has(callId)),
  }
  return Object.entries(invariants).flatMap(([name, holds]) => (holds ? [] : [name]))
}

/** Faults of a store, and the invariants that tell of them. */
const ALTERATIONS: readonly [string, Alter, readonly string[]][] = [
  ['nothing', (write) => write, []],
  [
    'settlements lost',
    (write) => async (batch, at) => {
      const outcomes = await write({ ...batch, settlements: [] }, at)
      return { ...outcomes, settlements: batch.settlements.map(() => true) }
    },
    ['acknowledged executions are stored', 'nothing runs'],
  ],
  [
    'admissions written twice',
    (write) => async (batch, at) => {
      const again = batch.admissions.map((one) => ({
        ...one,
        row: { ...one.row, execution_id: `${one.row.execution_id}x` },
      }))
      const outcomes = await write({ ...batch, admissions: [...batch.admissions, ...again] }, at)
      return { ...outcomes, admissions: outcomes.admissions.slice(0, batch.admissions.length) }
    },
    ['stored executions were asked for', 'nothing runs'],
  ],
  [
    'charges lost',
    (write, { db }) => after(write, () => db.deleteFrom('allowances').execute()),
    ['the quota is what was admitted'],
  ],
  [
    'usage lost before it is added up',
    (write, { db }) => after(write, () => db.deleteFrom('usage_journal').execute()),
    ['usage is what was executed', 'tokens are metered once'],
  ],
  [
    'usage counted twice',
    (write) => (batch, at) => write({ ...batch, settlements: batch.settlements.map(doubled) }, at),
    ['tokens are metered once'],
  ],
  [
    'calls forgotten',
    (write) => async (batch, at) => {
      const settlements = batch.settlements.map((one) => ({ ...one, row: { ...one.row, calls: null } }))
      const outcomes = await write({ ...batch, calls: [], settlements }, at)
      return { ...outcomes, calls: batch.calls.map(() => true) }
    },
    ['effects are written down'],
  ],
]

function after(write: WriteBatch, change: () => Promise<unknown>): WriteBatch {
  return async (batch, at) => {
    const outcomes = await write(batch, at)
    await change()
    return outcomes
  }
}

function doubled(one: Batch['settlements'][number]): Batch['settlements'][number] {
  return { ...one, usage: { ...one.usage, inputTokens: 2 * one.usage.inputTokens } }
}

describeEngine('sqlite', 'in a store with', (engine) => {
  test.each(ALTERATIONS)('%s, the invariants report it', async (_name, alter, expected) => {
    const scene = await openAltered(engine, alter)
    const told = [executed(await scene.execute()), executed(await scene.execute())]
    expect(await broken(scene, told)).toEqual(expected)
  })
})

describeEngine('sqlite', 'while the store has not answered', (engine) => {
  /** A service whose store holds batches with something of this kind until they are let through. */
  async function openHeld(kind: keyof Batch) {
    const gate = createGate()
    const holding: Alter =
      (write) =>
      async (batch: Batch, at: BatchContext): Promise<BatchOutcomes> => {
        if (batch[kind].length > 0) await gate.enter()
        return write(batch, at)
      }
    return { gate, scene: await openAltered(engine, holding) }
  }

  test('an admission, neither model nor endpoint is called', async () => {
    const { gate, scene } = await openHeld('admissions')
    const [execute, broker] = [scene.execute(), scene.broker('echo')]
    await gate.arrived(1)
    expect([scene.service.model.requests.length, scene.endpoint.effects.length]).toEqual([0, 0])
    gate.open()
    expect([(await execute).statusCode, (await broker).statusCode]).toEqual([200, 200])
  })

  test('the record of a call, the call is not sent', async () => {
    const { gate, scene } = await openHeld('calls')
    const execute = scene.execute()
    await gate.arrived(1)
    expect(scene.endpoint.effects).toHaveLength(0)
    gate.open()
    expect(executed(await execute).status).toBe('completed')
    expect(scene.endpoint.effects).toHaveLength(2)
  })

  test('a settlement, its caller gets no answer', async () => {
    const { gate, scene } = await openHeld('settlements')
    let isTold = false
    const execute = scene.execute().then((answer) => {
      isTold = true
      return answer
    })
    await gate.arrived(1)
    await scene.database.db.selectFrom('executions').select('status').execute()
    expect(isTold).toBe(false)
    gate.open()
    expect(executed(await execute).status).toBe('completed')
  })
})
