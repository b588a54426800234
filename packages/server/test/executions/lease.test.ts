import { expect, onTestFinished, test } from 'vitest'
import { createBatchStore } from '../../src/executions/batch-store.ts'
import { callText, type DispatchedCall } from '../../src/executions/call-rules.ts'
import { takeLease } from '../../src/executions/lease-store.ts'
import { LEASE_MS, RENEWAL_MS } from '../../src/executions/node-lease.ts'
import { takeOverExecutions } from '../../src/executions/take-over-store.ts'
import type { Database } from '../../src/store/database.ts'
import { openDatabase } from '../../src/store/database.ts'
import { inTransaction } from '../../src/store/transaction.ts'
import { listWaiting } from '../../src/usage/journal-store.ts'
import { executionRow } from '../store/rows.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate, type Gate } from '../support/deferred.ts'
import { createTestPlace, describeEngine, describeEngines, type TestEngine } from '../support/engines.ts'
import { takeOver } from '../support/replicas.ts'
import { executed, type Scene, type SceneOptions, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability, startService, type TestService } from '../support/service.ts'
import { storedCalls } from '../support/stored-calls.ts'

interface TwoNodes {
  /** Runs executions; its clock stands still until a test moves it. */
  first: Scene
  /** Another node on the same database, with a clock of its own. */
  second: TestService
  /** Where the calls of `echo` wait. */
  gate: Gate
}

async function openTestDatabase(engine: TestEngine): Promise<Database> {
  const place = await createTestPlace(engine)
  const database = await openDatabase(place.options)
  onTestFinished(() => database.close())
  return database
}

async function startNode(database: Database, first: Scene, clock = createTestClock()): Promise<TestService> {
  const node = await startService(database, { masterKey: first.service.masterKey, clock })
  onTestFinished(() => node.close())
  return node
}

async function setUpTwoNodes(engine: TestEngine, options: SceneOptions = {}): Promise<TwoNodes> {
  const database = await openTestDatabase(engine)
  const gate = createGate()
  const echo = async () => {
    await gate.enter()
    return { output: 'late' }
  }
  const first = await setScene(database, { handle: { echo }, ...options })
  onTestFinished(() => gate.open())
  const second = await startNode(database, first)
  // The embedded store takes each node that starts for the only one: the first one has to come back.
  await first.service.renew()
  first.service.model.say(calls({ name: 'echo', input: { text: 'a' } }), text('done'))
  return { first, second, gate }
}

async function statuses(database: Database) {
  const { db } = database
  const executions = await db.selectFrom('executions').select(['status', 'finish_reason']).execute()
  const dispatched = await storedCalls(database)
  return { executions, calls: dispatched.map(({ status }) => status) }
}

const RUNNING = { executions: [{ status: 'running', finish_reason: null }], calls: ['dispatched'] }
const FAILED = { executions: [{ status: 'failed', finish_reason: 'error' }], calls: ['unknown'] }

/** For each call whether it was written. */
async function recordCalls(db: Database['db'], calls: readonly DispatchedCall[], nodeId: string): Promise<boolean[]> {
  const rows = calls.map((call) => ({ execution_id: call.executionId, owner_id: call.ownerId, calls: callText(call) }))
  const batch = { admissions: [], calls: rows, settlements: [] }
  const at = { nodeId, now: 0, isRepeat: false, beforeCommit: () => {} }
  return (await createBatchStore(db)(batch, at)).calls
}

/** Until the leases of all others end. */
async function renewForOneLease(node: TestService): Promise<void> {
  for (let passed = 0; passed < LEASE_MS; passed += RENEWAL_MS) {
    node.clock.advance(RENEWAL_MS)
    await node.renew()
  }
}

/** One more than are made at once. */
const SIX = Array.from({ length: 6 }, () => ({ name: 'echo', input: {} }))

describeEngines('the lease of a node', (engine) => {
  // holds TRC-23
  test('an execution whose node is gone is failed by another one when the lease has ended, and not before', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    await renewForOneLease(second)
    expect(await statuses(first.database)).toEqual(RUNNING)
    second.clock.advance(1)
    await second.renew()
    expect(await statuses(first.database)).toEqual(FAILED)
  })

  test('all executions of a dead node are failed and counted once', async () => {
    const { db } = await openTestDatabase(engine)
    const rows = Array.from({ length: 250 }, (_, index) => executionRow({ execution_id: `exec_${index}` }))
    await db.insertInto('executions').values(rows).execute()
    const sweep = { now: 1_700_000_000_000, nodeId: 'node_2', overdueBefore: null, deadNodes: [] }
    expect([await takeOverExecutions(db, sweep), await takeOverExecutions(db, sweep)]).toEqual([250, 0])
    expect(await listWaiting(db)).toHaveLength(250)
  })

  test.each([20_001, 25_000, 60_000])(
    'after %i ms in which no node could renew, the first to renew leaves what the others run alone',
    async (awayMs) => {
      const { first, second, gate } = await setUpTwoNodes(engine)
      const answer = first.execute()
      await gate.arrived(1)
      // The second one has renewed last.
      second.clock.advance(RENEWAL_MS)
      await second.renew()
      for (const { clock } of [first.service, second]) clock.advance(awayMs)
      await second.renew()
      expect(await statuses(first.database)).toEqual(RUNNING)
      // At the latest: it has tried each second.
      first.service.clock.advance(RENEWAL_MS - 1)
      await first.service.renew()
      second.clock.advance(RENEWAL_MS)
      await second.renew()
      expect(await statuses(first.database)).toEqual(RUNNING)
      gate.open()
      expect(executed(await answer)).toMatchObject({ status: 'completed' })
    },
  )

  test('a node that has not renewed ten seconds after such a time is dead, and its executions are failed', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    second.clock.advance(60_000)
    await second.renew()
    second.clock.advance(RENEWAL_MS - 1)
    await second.renew()
    expect(await statuses(first.database)).toEqual(RUNNING)
    second.clock.advance(1)
    await second.renew()
    expect(await statuses(first.database)).toEqual(FAILED)
  })

  test('an interrupted execution says so: the outcome of its call is unknown, and it counts', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    await takeOver(second)
    const { execution_id: executionId } = await first.database.db
      .selectFrom('executions')
      .select('execution_id')
      .executeTakeFirstOrThrow()
    expect(await first.trace(executionId)).toMatchObject({
      status: 'failed',
      finishReason: 'error',
      error: { message: expect.stringContaining('interrupted') },
      messageShape: [{ role: 'user', parts: [{ type: 'text' }] }],
      durationMs: LEASE_MS + 1,
      completedAt: new Date(second.clock.now()).toISOString(),
      capabilityCalls: [
        {
          status: 'unknown',
          input: { text: 'a' },
          output: null,
          error: { message: expect.stringContaining('unknown') },
          durationMs: null,
        },
      ],
    })
    expect(await first.usage()).toMatchObject({ executions: 1, completed: 0, failed: 1, capability_calls: 1 })
    await second.renew()
    expect(await first.usage()).toMatchObject({ executions: 1, failed: 1 })
  })

  test('a call that was answered before is unknown, too: only a settlement stores answers and tokens', async () => {
    const manifest = { capabilities: [capability('echo'), capability('told')] }
    const { first, second, gate } = await setUpTwoNodes(engine, { manifest })
    first.endpoint.script('told', () => ({ output: 'told' }))
    first.service.model.say(calls({ name: 'told', input: {} }), calls({ name: 'echo', input: {} }), text('done'))
    void first.execute()
    await gate.arrived(1)
    await takeOver(second)
    expect((await statuses(first.database)).calls).toEqual(['unknown', 'unknown'])
    expect(await first.usage()).toMatchObject({ failed: 1, capability_calls: 2, input_tokens: 0, output_tokens: 0 })
  })

  test('an interrupted broker call is counted as anonymous', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    void first.broker('echo')
    await gate.arrived(1)
    await takeOver(second)
    expect(await statuses(first.database)).toEqual(FAILED)
    expect(await first.usage()).toMatchObject({ executions: 1, anonymous: 1, capability_calls: 1 })
  })

  test('a node that renews keeps its executions, even long ones', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    const answer = first.execute()
    await gate.arrived(1)
    for (let renewal = 0; renewal < 12; renewal += 1) {
      first.service.clock.advance(RENEWAL_MS)
      second.clock.advance(RENEWAL_MS)
      await second.renew()
      await first.service.renew()
    }
    gate.open()
    expect(executed(await answer)).toMatchObject({ status: 'completed', durationMs: 12 * RENEWAL_MS })
  })

  test('a node that returns late changes nothing: its caller gets a failure, and nothing is counted twice', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    const answer = first.execute()
    await gate.arrived(1)
    await takeOver(second)
    const before = [await statuses(first.database), await first.usage()]
    gate.open()
    const body = executed(await answer)
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error', error: { message: expect.any(String) } })
    expect([await statuses(first.database), await first.usage()]).toEqual(before)
    expect((await first.trace(body.executionId)).error?.message).toContain('interrupted')
  })

  test('a node whose lease has run out sends no further call', async () => {
    const { first, gate } = await setUpTwoNodes(engine)
    first.service.model.say(calls(...SIX), text('done'))
    const answer = first.execute()
    await gate.arrived(5)
    first.service.clock.advance(LEASE_MS)
    gate.open()
    const body = executed(await answer)
    expect(first.endpoint.effects).toHaveLength(5)
    expect(body.messages[1]?.parts.at(-1)).toMatchObject({ error: { message: expect.stringContaining('interrupted') } })
  })

  test('an execution that was taken over stays as it is: no further call is recorded or sent', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    first.service.model.say(calls(...SIX), text('done'))
    const answer = first.execute()
    await gate.arrived(5)
    first.service.clock.advance(LEASE_MS + 1)
    await takeOver(second)
    const before = await statuses(first.database)
    gate.open()
    expect(executed(await answer)).toMatchObject({ status: 'failed' })
    expect(await statuses(first.database)).toEqual(before)
    expect(first.endpoint.effects).toHaveLength(5)
  })

  test('a call that is about to be recorded when its execution is taken over is neither recorded nor sent', async () => {
    const { first, second } = await setUpTwoNodes(engine)
    const { batchWriter } = first.service.deps
    const record = batchWriter.record
    batchWriter.record = async (call) => {
      await takeOver(second)
      return record(call)
    }
    expect(executed(await first.execute())).toMatchObject({ status: 'failed' })
    const failed = [{ status: 'failed', finish_reason: 'error' }]
    expect(await statuses(first.database)).toEqual({ executions: failed, calls: [] })
    expect(first.endpoint.effects).toHaveLength(0)
    expect(await first.usage()).toMatchObject({ executions: 1, failed: 1, capability_calls: 0 })
  })

  test('a call waits for a take-over in progress, and is not recorded then', async () => {
    const { first, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    const { db } = first.database
    const row = await db.selectFrom('executions').selectAll().executeTakeFirstOrThrow()
    const { owner_id: ownerId, execution_id: executionId, node_id: nodeId } = row
    const call = { ownerId, executionId, capability: 'echo', step: 0, input: '{}', startedAt: row.started_at }
    const calls = ['call_one', 'call_two'].map((callId, index) => ({ ...call, callId, ordinal: index + 1 }))
    const record = () => recordCalls(db, calls, nodeId ?? '')
    const recorded = await inTransaction(db, async (tx) => {
      await tx.updateTable('executions').set({ status: 'failed', completed_at: row.started_at }).execute()
      return { later: record() }
    })
    expect(await recorded.later).toEqual([false, false])
    expect((await statuses(first.database)).calls).toEqual(['dispatched'])
  })

  test('calls are recorded for the node that runs their execution, and for no other', async () => {
    const { first, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    const { db } = first.database
    const row = await db.selectFrom('executions').selectAll().executeTakeFirstOrThrow()
    const { owner_id: ownerId, execution_id: executionId } = row
    const call = { ownerId, executionId, capability: 'echo', step: 0, input: '{}', startedAt: 1 }
    const calls = [
      { ...call, callId: 'call_b', ordinal: 2 },
      { ...call, callId: 'call_c', ordinal: 3, executionId: 'exec_unknown' },
      { ...call, callId: 'call_a', ordinal: 1 },
    ]
    const times = { lease_until: Number.MAX_SAFE_INTEGER, started_at: 0, steady_since: 0 }
    await takeLease(db, { node_id: 'node_other', settings: null, url: null, ...times })
    expect(await recordCalls(db, calls, 'node_other')).toEqual([false, false, false])
    expect(await recordCalls(db, calls, row.node_id ?? '')).toEqual([true, false, true])
    expect(await recordCalls(db, calls, row.node_id ?? '')).toEqual([true, false, true])
    expect((await statuses(first.database)).calls).toEqual(['dispatched', 'dispatched', 'dispatched'])
  })

  test('a node that has lost its lease sends no call of its old executions, also under a new lease', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    first.service.model.say(calls(...SIX), text('done'))
    const answer = first.execute()
    await gate.arrived(5)
    await takeOver(second)
    const before = await statuses(first.database)
    await first.service.renew()
    gate.open()
    expect(executed(await answer)).toMatchObject({ status: 'failed' })
    expect(await statuses(first.database)).toEqual(before)
    expect(first.endpoint.effects).toHaveLength(5)
  })

  test('a node whose lease has run out admits nothing, and charges nothing, until it has renewed', async () => {
    const { first, gate } = await setUpTwoNodes(engine)
    gate.open()
    const before = await first.charged()
    first.service.clock.advance(LEASE_MS)
    const refused = await first.execute()
    expect([refused.statusCode, refused.json().error.code]).toEqual([500, 'internal_error'])
    expect(refused.headers['retry-after']).toBe('1')
    expect((await first.broker('echo')).statusCode).toBe(500)
    expect(await first.charged()).toEqual(before)
    await first.service.renew()
    expect((await first.execute()).statusCode).toBe(200)
  })
})

describeEngine('sqlite', 'the embedded store', (engine) => {
  // holds TRC-23
  test('fails at its start the executions of an earlier process, without waiting for a lease', async () => {
    const { first, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    await startNode(first.database, first)
    expect(await statuses(first.database)).toEqual(FAILED)
  })
})

describeEngine('postgres', 'a new replica', (engine) => {
  test('leaves the executions of another one alone', async () => {
    const { first, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    await startNode(first.database, first)
    expect(await statuses(first.database)).toEqual(RUNNING)
  })

  test('that starts when all leases have run out waits for the duration of a renewal before it takes others for dead', async () => {
    const { first, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    const clock = createTestClock()
    clock.advance(LEASE_MS + 1)
    const third = await startNode(first.database, first, clock)
    expect(await statuses(first.database)).toEqual(RUNNING)
    await takeOver(third)
    expect(await statuses(first.database)).toEqual(FAILED)
  })

  test('that starts beside one which has always renewed takes over lapsed leases at once', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    await renewForOneLease(second)
    expect(await statuses(first.database)).toEqual(RUNNING)
    const clock = createTestClock()
    clock.advance(LEASE_MS + 1)
    await startNode(first.database, first, clock)
    expect(await statuses(first.database)).toEqual(FAILED)
  })

  test('that starts beside one which could not renew for long gives the others the same grace', async () => {
    const { first, second, gate } = await setUpTwoNodes(engine)
    void first.execute()
    await gate.arrived(1)
    second.clock.advance(60_000)
    await second.renew()
    const clock = createTestClock()
    clock.advance(60_001)
    const third = await startNode(first.database, first, clock)
    clock.advance(RENEWAL_MS - 2)
    await third.renew()
    expect(await statuses(first.database)).toEqual(RUNNING)
    clock.advance(1)
    await third.renew()
    expect(await statuses(first.database)).toEqual(FAILED)
  })
})
