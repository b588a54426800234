import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createBatchStore } from '../../src/executions/batch-store.ts'
import { createBatchWriter } from '../../src/executions/batch-writer.ts'
import { Settlements } from '../../src/executions/settlements.ts'
import { drain } from '../../src/http/drain.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createDiskSpace } from '../../src/store/disk-space.ts'
import { inTransaction } from '../../src/store/transaction.ts'
import { NO_METRICS } from '../../src/telemetry/metrics.ts'
import { StorageBudget } from '../../src/usage/storage-budget.ts'
import { executionRow } from '../store/rows.ts'
import { refusalOf } from '../support/answers.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate, deferred, type Gate } from '../support/deferred.ts'
import { createTestPlace, describeEngine, type TestPlace } from '../support/engines.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { executed, type Scene, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { holdLease, settlement } from '../support/settlement.ts'

const UNRECORDED = 'The outcome of the execution could not be recorded.'

async function open({ options }: Pick<TestPlace, 'options'>) {
  const database = await openDatabase(options)
  onTestFinished(() => database.close())
  return database
}

function stored({ db }: Scene['database']) {
  return db.selectFrom('executions').select(['status', 'error']).execute()
}

const RUNNING = executionRow()

/** Settlements of the node that `RUNNING` runs under. */
function openSettlements({ db }: Scene['database']) {
  const logger = pino({ level: 'silent' })
  const clock = createTestClock()
  const pause = async (ms: number) => clock.advance(ms)
  const diskSpace = createDiskSpace({ clock, logger, leastBytes: 0, freeBytes: null })
  const write = createBatchStore(db)
  const writer = createBatchWriter({ clock, metrics: NO_METRICS, nodeId: 'node_1', pause, write })
  return new Settlements({
    clock,
    limits: DEFAULT_LIMITS,
    logger,
    diskSpace,
    storage: new StorageBudget(),
    writer,
    pause,
  })
}

/** Takes the turn to write, as soon as it comes, until the test opens the gate. */
function hold({ db }: Scene['database'], gate: Gate): void {
  void inTransaction(db, async (tx) => {
    await tx.deleteFrom('nodes').where('node_id', '=', 'node_of_nobody').execute()
    await gate.enter()
  })
}

describeEngine('sqlite', 'a shutdown past its time limit while the database is blocked', (engine) => {
  /** A scene beside another process. Either can keep the database for itself until the test lets it go. */
  async function setHeldScene() {
    const place = await createTestPlace(engine)
    const [database, beside] = [await open(place), await open(place)]
    const scene = await setScene(database)
    const gate = createGate()
    onTestFinished(() => gate.open())
    const holdNow = async (held: typeof database) => {
      hold(held, gate)
      await gate.arrived(1)
    }
    // The turn after a batch has left its queue, what can be sent of it has been.
    const settling = deferred()
    const { settlements, batchWriter } = scene.service.deps
    const settle = settlements.settle.bind(settlements)
    settlements.settle = (settlement) => {
      settling.resolve()
      return settle(settlement)
    }
    const isSettling = async () => {
      await settling.promise
      while (batchWriter.depth('settlements') > 0) await nextTurn()
      await nextTurn()
    }
    const stop = () => drain(scene.service.app, scene.service.deps, { drainMs: 0, stopMs: 0, flushMs: 0 })
    // Behind all that was asked before.
    const settled = async () => {
      await scene.service.renew()
      return stored(database)
    }
    return { ...scene, beside, holdNow, gate, isSettling, stop, settled }
  }

  test('answers a caller with an error where the outcome may yet be stored', async () => {
    const { service, beside, execute, holdNow, gate, isSettling, stop, settled } = await setHeldScene()
    service.model.say(async function* () {
      await holdNow(beside)
      yield* text('All done.')
    })
    const answer = execute()
    await isSettling()
    const stopped = stop()
    refusalOf(await answer, 'internal_error')
    gate.open()
    await stopped
    expect(await settled()).toEqual([{ status: 'completed', error: null }])
  })

  test('tells the caller of a waiting settlement that it is not recorded, and never records it', async () => {
    const { service, database, execute, holdNow, gate, isSettling, stop, settled } = await setHeldScene()
    service.model.say(async function* () {
      await holdNow(database)
      yield* text('All done.')
    })
    const answer = execute()
    await isSettling()
    const stopped = stop()
    expect(executed(await answer)).toMatchObject({ status: 'failed', error: { message: UNRECORDED } })
    await stopped
    gate.open()
    expect(await settled()).toEqual([{ status: 'running', error: null }])
  })

  test('no longer waits to record a call, and does not send it', async () => {
    const { service, endpoint, beside, execute, holdNow, gate, stop } = await setHeldScene()
    service.model.say(async function* () {
      await holdNow(beside)
      yield* calls({ name: 'echo', input: {} })
    }, text('done'))
    const answer = execute()
    await gate.arrived(1)
    const stopped = stop()
    expect(executed(await answer)).toMatchObject({ status: 'failed', error: { message: UNRECORDED } })
    await stopped
    gate.open()
    expect(endpoint.effects).toHaveLength(0)
  })
})

describeEngine('postgres', 'an outcome in the retry queue', (engine) => {
  test('is written by a shutdown that has time for a database restart, although no request is open', async () => {
    const place = await createTestPlace(engine)
    const relay = await startPostgresRelay(place.location)
    const database = await open({ options: { engine: 'postgres', url: relay.url, onError: () => undefined } })
    let onPause = () => undefined as unknown
    const { service, execute } = await setScene(database, {
      pause: async () => onPause(),
      limits: { executionMs: 5_000 },
    })
    service.model.say(async function* () {
      relay.shut('now')
      yield* text('All done.')
    })
    expect(executed(await execute(saying()))).toMatchObject({ status: 'failed', error: { message: UNRECORDED } })
    onPause = () => relay.open()
    await drain(service.app, service.deps, { drainMs: 60_000, stopMs: 60_000, flushMs: 0 })
    expect(await stored(database)).toEqual([{ status: 'failed', error: UNRECORDED }])
  })
})

describeEngine('postgres', 'an outcome that is abandoned before its commit', (engine) => {
  test('is not stored, although the network delivers late what was sent', async () => {
    const place = await createTestPlace(engine)
    const direct = await open(place)
    await direct.db.insertInto('executions').values(RUNNING).execute()
    await holdLease(direct.db)
    const relay = await startPostgresRelay(place.location)
    const relayed = await openDatabase({ engine: 'postgres', url: relay.url, onError: () => undefined })
    const settlements = openSettlements(relayed)
    relay.silence()
    const told = settlements.settle(settlement({ execution_id: RUNNING.execution_id }))
    await relay.unheard
    settlements.stopWaiting()
    expect(await told).toBe(false)
    relay.heal()
    // Waits for the transaction, whose answers come now.
    await relayed.close()
    expect(await stored(direct)).toEqual([{ status: 'running', error: null }])
  })
})
