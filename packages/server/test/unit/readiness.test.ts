import { expect, onTestFinished, test } from 'vitest'
import { closeConnections } from '../../src/http/drain.ts'
import { createOpsApp } from '../../src/http/ops-app.ts'
import { createReadinessProbe } from '../../src/ops/readiness.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { deferred } from '../support/deferred.ts'
import { createTestPlace, describeEngines, type TestEngine, useDatabase } from '../support/engines.ts'
import { startForTest, startService } from '../support/service.ts'

describeEngines('readiness', (engine) => {
  const database = useDatabase(engine)

  /** A service with its operations port, which is asked without one. */
  async function prepare() {
    const nodeId = 'node-of-this-test'
    const metrics = createPrometheusMetrics()
    const service = await startForTest(database(), { nodeId, metrics })
    const readiness = createReadinessProbe({ ...service.deps, nodeId })
    const ops = createOpsApp({ readiness, metrics })
    onTestFinished(() => ops.close())
    const ready = async () => {
      const { statusCode, headers, body } = await ops.inject('/ready')
      return { statusCode, headers, ...JSON.parse(body) }
    }
    return { service, ops, ready }
  }

  test('is given while the database takes writes and the lease is held', async () => {
    const { ready } = await prepare()
    expect(await ready()).toMatchObject({
      statusCode: 200,
      headers: { 'cache-control': 'no-store' },
      ready: true,
      checks: { database: 'ok', lease: 'held', clock: 'ok', state: 'serving' },
    })
  })

  test('goes at once when the service drains, while it lives on', async () => {
    const { ready, ops, service } = await prepare()
    closeConnections(service.deps)
    expect(await ready()).toMatchObject({
      statusCode: 503,
      ready: false,
      checks: { database: 'ok', state: 'draining' },
    })
    expect((await ops.inject('/live')).statusCode).toBe(200)
    expect((await service.send('GET', '/health')).statusCode).toBe(200)
  })

  test('goes with the lease, and comes back with it', async () => {
    const { ready, service } = await prepare()
    service.clock.advance(31_000)
    expect(await ready()).toMatchObject({ statusCode: 503, checks: { database: 'ok', lease: 'lost' } })
    await service.renew()
    expect(await ready()).toMatchObject({ statusCode: 200 })
  })

  test('goes when another node has ended this one, whatever this one still believes', async () => {
    const { ready, service } = await prepare()
    await database().db.deleteFrom('nodes').execute()
    expect(await ready()).toMatchObject({ statusCode: 503, checks: { database: 'failed', lease: 'held' } })
    await service.renew()
    service.clock.advance(1_000)
    expect(await ready()).toMatchObject({ statusCode: 200 })
  })

  test('asks the database once a second at most, however often it is asked itself', async () => {
    const { ready, service } = await prepare()
    await ready()
    await database().db.deleteFrom('nodes').execute()
    service.clock.advance(999)
    expect(await ready()).toMatchObject({ statusCode: 200 })
    service.clock.advance(1)
    expect(await ready()).toMatchObject({ statusCode: 503 })
    await service.renew()
  })
})

describeEngines('readiness without a database', (engine) => {
  test('is refused, and says what is missing', async () => {
    const place = await createTestPlace(engine)
    const database = await openDatabase(place.options)
    const nodeId = 'node-of-this-test'
    const { deps } = await startService(database, { nodeId })
    await database.close()
    const readiness = createReadinessProbe({ ...deps, nodeId })
    expect(await readiness.read()).toEqual({
      ready: false,
      checks: { database: 'failed', lease: 'held', clock: 'ok', state: 'serving' },
    })
  })

  test('is refused in time where the database does not answer', async () => {
    const { deps, nodeId, release } = await startLocked(engine)
    const { checks } = await createReadinessProbe({ ...deps, nodeId, probeMs: 20 }).read()
    release()
    expect(checks.database).toBe('failed')
  })

  test('is looked for by one query at a time, however long the database does not answer', async () => {
    const { deps, nodeId, clock, release } = await startLocked(engine)
    let asked = 0
    const db = deps.db.withPlugin({
      transformQuery({ node }) {
        asked += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const readiness = createReadinessProbe({ ...deps, db, nodeId, probeMs: 20 })
    for (let second = 0; second < 10; second += 1) {
      expect((await readiness.read()).checks.database).toBe('failed')
      clock.advance(1_000)
    }
    expect(asked).toBe(1)
    release()
    for (let database = 'failed'; database !== 'ok'; clock.advance(1_000)) {
      await new Promise(setImmediate)
      database = (await readiness.read()).checks.database
    }
  })
})

/** A service whose row in the table of nodes is locked until it is released. */
async function startLocked(engine: TestEngine) {
  const place = await createTestPlace(engine)
  const database = await openDatabase(place.options)
  onTestFinished(() => database.close())
  const nodeId = 'node-of-this-test'
  const { deps, clock } = await startService(database, { nodeId })
  const [locked, released] = [deferred(), deferred()]
  const transaction = database.db.transaction().execute(async (tx) => {
    await tx.selectFrom('nodes').selectAll().where('node_id', '=', nodeId).forUpdate().execute()
    locked.resolve()
    await released.promise
  })
  onTestFinished(() => transaction)
  await locked.promise
  return { deps, clock, nodeId, release: () => released.resolve() }
}
