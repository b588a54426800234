import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type {
  Admission,
  AdmissionRequest,
  Batch,
  BatchContext,
  BatchOutcomes,
} from '../../src/executions/batch-rules.ts'
import type { WriteBatch } from '../../src/executions/batch-store.ts'
import { createBatchWriter } from '../../src/executions/batch-writer.ts'
import { CommitUnknownError, isConnectionFault, isUnavailable } from '../../src/store/errors.ts'
import { NO_METRICS } from '../../src/telemetry/metrics.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate } from '../support/deferred.ts'
import { newRow, settlement } from '../support/settlement.ts'

const ADMITTED: Admission = { outcome: 'admitted', tier: 'pro', storedBytes: 0 }
const lost = () => Object.assign(new Error('connection lost'), { code: '08006' })
const inform = (error: unknown) => error

function request(execution_id = 'exec_1'): AdmissionRequest {
  return { revision: 1, row: newRow({ execution_id }) }
}

function call(executionId: string, callId: string) {
  const rest = { ordinal: 0, capability: 'echo', step: 1, input: '{}', startedAt: 1 }
  return { ownerId: 'owner_1', executionId, callId, ...rest }
}

function allDone({ admissions, calls, settlements }: Batch): BatchOutcomes {
  return {
    admissions: admissions.map(() => ADMITTED),
    calls: calls.map(() => true),
    settlements: settlements.map(() => true),
  }
}

/** A writer on a store that does as it is told, and the batches that the store was given. */
function open(write: WriteBatch, pause: () => Promise<unknown> = async () => undefined) {
  const batches: { sizes: number[]; isRepeat: boolean }[] = []
  const noted: WriteBatch = (batch, at) => {
    const sizes = [batch.admissions.length, batch.calls.length, batch.settlements.length]
    batches.push({ sizes, isRepeat: at.isRepeat })
    return write(batch, at)
  }
  const options = { clock: createTestClock(), metrics: NO_METRICS, nodeId: 'node_1', pause, write: noted }
  return { writer: createBatchWriter(options), batches }
}

describe('the queue of writes', () => {
  test('writes all waiting items of any kind in one transaction, and answers after its commit', async () => {
    const gate = createGate()
    const { writer, batches } = open(async (batch) => {
      await gate.enter()
      return allDone(batch)
    })
    const answers: unknown[] = []
    const note = (answer: unknown) => answers.push(answer)
    const first = writer.admit(request()).then(note)
    await gate.arrived(1)
    const others = [
      writer.admit(request('exec_2')),
      writer.settle(settlement()),
      writer.record(call('exec_3', 'call_1')),
      writer.record(call('exec_3', 'call_2')),
    ].map((answer) => answer.then(note))
    await nextTurn()
    expect(answers).toEqual([])
    gate.open()
    await Promise.all([first, ...others])
    expect(answers).toHaveLength(5)
    expect(batches.map(({ sizes }) => sizes)).toEqual([
      [1, 0, 0],
      [1, 2, 1],
    ])
  })

  test('bounds the payload of one transaction to a few megabytes', async () => {
    const { writer, batches } = open(async (batch) => allDone(batch))
    const messageShape = ' '.repeat(3 * 1024 * 1024)
    const large = Array.from({ length: 4 }, () => writer.settle(settlement({}, { messageShape })))
    await Promise.all([...large, writer.admit(request())])
    expect(batches.map(({ sizes }) => sizes)).toEqual([
      [0, 0, 3],
      [1, 0, 1],
    ])
  })

  test('writes the items of a refused batch one by one, so that a bad one fails alone', async () => {
    const { writer } = open(async (batch) => {
      if (batch.admissions.some(({ row }) => row.execution_id === 'exec_bad')) throw new Error('refused')
      return allDone(batch)
    })
    const answers = [request('exec_good'), request('exec_bad')].map((one) => writer.admit(one).catch(inform))
    expect(await Promise.all([...answers, writer.settle(settlement())])).toEqual([ADMITTED, new Error('refused'), true])
  })

  test('fails all of a batch where the database itself has failed', async () => {
    const { writer, batches } = open(() => Promise.reject(Object.assign(new Error('full'), { code: 'SQLITE_FULL' })))
    const answers = ['exec_1', 'exec_2'].map((id) => writer.admit(request(id)).catch(inform))
    expect(await Promise.all(answers)).toMatchObject([{ code: 'SQLITE_FULL' }, { code: 'SQLITE_FULL' }])
    expect(batches).toHaveLength(1)
  })
})

describe('while connections to the database fail', () => {
  test('admissions are refused at once, as without effect, and outcomes wait', async () => {
    const paused = createGate()
    let isAway = true
    const { writer } = open(
      (batch) => (isAway ? Promise.reject(lost()) : Promise.resolve(allDone(batch))),
      () => paused.enter(),
    )
    const settled = writer.settle(settlement())
    const refused = [await writer.admit(request()).catch(inform)]
    await paused.arrived(1)
    refused.push(await writer.admit(request()).catch(inform))
    expect(refused.map(isUnavailable)).toEqual([true, true])
    isAway = false
    paused.open()
    expect(await settled).toBe(true)
    expect(await writer.admit(request())).toEqual(ADMITTED)
  })

  test('a commit without an answer is read again, and each item gets its stored outcome', async () => {
    let tries = 0
    const { writer, batches } = open(async (batch: Batch, _at: BatchContext) => {
      tries += 1
      if (tries === 1) throw new CommitUnknownError(lost())
      return allDone(batch)
    })
    expect(await Promise.all([writer.admit(request()), writer.settle(settlement())])).toEqual([ADMITTED, true])
    expect(batches.map(({ isRepeat }) => isRepeat)).toEqual([false, true])
  })

  test('an outcome that stays unknown is reported as unknown', async () => {
    let tries = 0
    const { writer } = open(() => {
      tries += 1
      return Promise.reject(tries === 1 ? new CommitUnknownError(lost()) : lost())
    })
    const answers = await Promise.all([
      writer.admit(request()).catch(inform),
      writer.settle(settlement()).catch(inform),
    ])
    for (const answer of answers) expect(answer).toBeInstanceOf(CommitUnknownError)
  })
})

describe('once the service stops', () => {
  test('a call is told at once that it is not to be sent, in a batch under way and afterwards', async () => {
    const gate = createGate()
    const { writer, batches } = open(async (batch) => {
      await gate.enter()
      return allDone(batch)
    })
    const current = writer.record(call('exec_1', 'call_1'))
    await gate.arrived(1)
    const queued = writer.record(call('exec_1', 'call_2'))
    writer.stopWaiting('calls')
    expect(await Promise.all([current, queued, writer.record(call('exec_1', 'call_3'))])).toEqual([false, false, false])
    gate.open()
    await writer.drain()
    expect(batches).toHaveLength(1)
  })

  test('a database that does not answer takes one last second for all batches', async () => {
    const pauses: unknown[] = []
    const { writer, batches } = open(
      () => new Promise(() => undefined),
      async (...ms: unknown[]) => pauses.push(...ms),
    )
    const messageShape = ' '.repeat(9 * 1024 * 1024)
    const settled = [1, 2, 3].map(() => writer.settle(settlement({}, { messageShape })).catch(inform))
    writer.stopWaiting('all')
    expect((await Promise.all(settled)).map(isConnectionFault)).toEqual([true, true, true])
    expect({ pauses, batches: batches.length }).toEqual({ pauses: [1_000], batches: 1 })
  })
})
