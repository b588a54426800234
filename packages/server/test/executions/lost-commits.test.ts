import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { refusalOf } from '../support/answers.ts'
import { createTestPlace, describeEngine } from '../support/engines.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { saying, setScene } from '../support/scene.ts'
import { text } from '../support/scripted-model.ts'
import { storedCalls } from '../support/stored-calls.ts'

describeEngine('postgres', 'a commit without an answer', (engine) => {
  async function setRelayedScene() {
    const place = await createTestPlace(engine)
    const relay = await startPostgresRelay(place.location)
    const database = await openDatabase({ engine: 'postgres', url: relay.url, onError: () => undefined })
    onTestFinished(() => database.close())
    const pauses = { taken: 0, onPause: (_taken: number): unknown => undefined }
    const pause = async () => {
      pauses.taken += 1
      await pauses.onPause(pauses.taken)
    }
    const metrics = createPrometheusMetrics()
    const scene = await setScene(database, { pause, metrics, limits: { executionMs: 60_000 } })
    // Remembers the runtime, and has the counters that the tests compare with.
    expect((await scene.broker('echo')).statusCode).toBe(200)
    return { ...scene, relay, pauses, metrics, startedAt: scene.service.clock.now() }
  }

  /** Stored executions by status, beside what their owner's allowance has been charged and the usage says. */
  async function books({ database, charged, usage, startedAt }: Awaited<ReturnType<typeof setRelayedScene>>) {
    const { executions } = await charged()
    const rows = await database.db.selectFrom('executions').select('status').execute()
    const quota = await database.db
      .selectFrom('allowances')
      .select('full_at')
      .where('bucket', '=', 'executions')
      .executeTakeFirstOrThrow()
    const calls = await storedCalls(database)
    expect((quota.full_at - startedAt) / 36_000).toBe(executions)
    const { executions: ended, completed, failed } = await usage()
    return {
      statuses: rows.map(({ status }) => status).sort(),
      calls: calls.map(({ status }) => status).sort(),
      usage: { ended, completed, failed },
    }
  }

  const BOTH_COMPLETED = {
    statuses: ['completed', 'completed'],
    calls: ['completed', 'completed'],
    usage: { ended: 2, completed: 2, failed: 0 },
  }

  test('of an admission that took place lets its execution continue', async () => {
    const scene = await setRelayedScene()
    scene.relay.breakCommit('answer lost')
    expect((await scene.broker('echo')).statusCode).toBe(200)
    expect(await books(scene)).toEqual(BOTH_COMPLETED)
  })

  test('of an admission that did not take place is tried again, and charged once', async () => {
    const scene = await setRelayedScene()
    scene.relay.breakCommit('lost')
    expect((await scene.broker('echo')).statusCode).toBe(200)
    expect(await books(scene)).toEqual(BOTH_COMPLETED)
  })

  test('of an admission is a fault while the database is away; the execution is failed when it is back', async () => {
    const scene = await setRelayedScene()
    scene.relay.shut('at the next fault')
    scene.relay.breakCommit('answer lost')
    refusalOf(await scene.broker('echo'), 'internal_error')
    await scene.service.deps.settlements.retryQueued()
    expect(await scene.metrics.text()).toContain('\nsvc_unknown_admissions 1\n')
    scene.relay.open()
    expect((await books(scene)).statuses).toEqual(['completed', 'running'])
    await scene.service.deps.settlements.retryQueued()
    expect(await scene.metrics.text()).toContain('\nsvc_unknown_admissions 0\n')
    const expected = {
      statuses: ['completed', 'failed'],
      calls: ['completed', 'unknown'],
      usage: { ended: 2, completed: 1, failed: 1 },
    }
    expect(await books(scene)).toEqual(expected)
    expect(scene.endpoint.effects).toHaveLength(1)
    await scene.service.deps.settlements.retryQueued()
    expect(await books(scene)).toEqual(expected)
  })

  test('of an admission that never took place leaves nothing behind, which the next one finds out', async () => {
    const scene = await setRelayedScene()
    scene.relay.shut('at the next fault')
    scene.relay.breakCommit('lost')
    refusalOf(await scene.broker('echo'), 'internal_error')
    scene.relay.open()
    expect((await scene.broker('echo')).statusCode).toBe(200)
    await scene.service.deps.settlements.drain()
    expect(await books(scene)).toEqual(BOTH_COMPLETED)
  })

  test.each(['lost', 'answer lost'] as const)('of a settlement (%s) is answered as it is stored', async (fault) => {
    const scene = await setRelayedScene()
    scene.relay.breakCommit(fault, 1)
    expect((await scene.broker('echo')).statusCode).toBe(200)
    expect(await books(scene)).toEqual(BOTH_COMPLETED)
    expect(scene.pauses.taken).toBe(1)
  })

  test.each(['lost', 'answer lost'] as const)(
    'of a settlement (%s) waits for a database that is away',
    async (fault) => {
      const scene = await setRelayedScene()
      scene.relay.shut('at the next fault')
      scene.relay.breakCommit(fault, 1)
      scene.pauses.onPause = (taken) => {
        if (taken === 3) scene.relay.open()
      }
      expect((await scene.broker('echo')).statusCode).toBe(200)
      expect(await books(scene)).toEqual(BOTH_COMPLETED)
    },
  )

  test.each(['lost', 'answer lost'] as const)(
    'of a settlement (%s) is answered with an error while it is unknown',
    async (fault) => {
      const scene = await setRelayedScene()
      scene.relay.shut('at the next fault')
      scene.relay.breakCommit(fault, 1)
      refusalOf(await scene.broker('echo'), 'internal_error')
      scene.relay.open()
      await scene.service.deps.settlements.retryQueued()
      expect(await books(scene)).toEqual(BOTH_COMPLETED)
    },
  )

  test('a caller during an outage of the database is asked to retry, and charged nothing', async () => {
    const scene = await setRelayedScene()
    const before = await books(scene)
    scene.relay.shut('now')
    const answer = await scene.broker('echo')
    expect(refusalOf(answer, 'internal_error')).toBe(
      'The service cannot reach its database at the moment. Nothing was done: try again.',
    )
    expect([answer.headers['retry-after'], answer.headers['x-request-id']]).toEqual(['1', expect.any(String)])
    scene.relay.open()
    expect(await books(scene)).toEqual(before)
    expect((await scene.broker('echo')).statusCode).toBe(200)
  })

  test('an outcome waits for a database that is away for long, and its caller gets the stored one', async () => {
    const scene = await setRelayedScene()
    scene.service.model.say(async function* () {
      scene.relay.shut('now')
      yield* text('All done.')
    })
    // Long after the tries of one batch.
    scene.pauses.onPause = (taken) => taken === 30 && scene.relay.open()
    expect((await scene.execute(saying())).json()).toMatchObject({ status: 'completed' })
    expect(await books(scene)).toMatchObject({ statuses: ['completed', 'completed'] })
    expect(scene.pauses.taken).toBeGreaterThanOrEqual(30)
  })

  test('an outcome waits no longer than the shutdown: its caller is told that it is not recorded', async () => {
    const scene = await setRelayedScene()
    scene.service.model.say(async function* () {
      scene.relay.shut('now')
      yield* text('All done.')
    })
    scene.pauses.onPause = () => {
      scene.service.deps.settlements.stopWaiting()
      return new Promise(() => undefined)
    }
    const answer = await scene.execute(saying())
    scene.relay.open()
    const error = { message: 'The outcome of the execution could not be recorded.' }
    expect(answer.json()).toMatchObject({ status: 'failed', error })
    // The one that was cut short, and the second of the last try.
    expect(scene.pauses.taken).toBe(2)
  })
})
