import { beforeEach, expect, test } from 'vitest'
import { updateTier } from '../../src/accounts/store.ts'
import { createRetentionSweep } from '../../src/executions/retention.ts'
import { deleteSomeEnded } from '../../src/executions/retention-store.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { DAY_MS, insertPast, type PastExecution } from '../support/past.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { executed, type Scene, setScene } from '../support/scene.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

describeEngines('retention', (engine) => {
  const database = useDatabase(engine)

  // A sweep is of all accounts, and so are its counts.
  beforeEach(async () => {
    await database().db.deleteFrom('executions').execute()
  })

  const start = () => startForTest(database())
  const sweepOf = (service: TestService) => createRetentionSweep(service.deps)

  const past = (service: TestService, owner: TestOwner, fields: Partial<PastExecution> & { startedAt: number }) => ({
    ownerId: owner.ownerId,
    executionId: service.deps.newId('execution'),
    runtimeId: 'rt_of_the_past',
    projectId: 'proj_of_the_past',
    status: 'completed' as const,
    ...fields,
  })

  const kept = async (owner: TestOwner) => {
    const { db } = database()
    const rows = await db
      .selectFrom('executions')
      .select('execution_id')
      .where('owner_id', '=', owner.ownerId)
      .execute()
    return rows.map((row) => row.execution_id).sort()
  }

  // holds TRC-22
  test('an execution a millisecond past its plan’s days is deleted with its calls; younger and running ones stay', async () => {
    const service = await start()
    for (const [tier, days] of [
      ['free', 7],
      ['pro', 90],
      ['enterprise', 400],
    ] as const) {
      const owner = await service.owner(tier)
      const edge = service.clock.now() - days * DAY_MS
      const [young, old, running] = [
        past(service, owner, { startedAt: edge, calls: 2 }),
        [
          past(service, owner, { startedAt: edge - 1, calls: 3 }),
          past(service, owner, { startedAt: edge - 1, status: 'failed' }),
          past(service, owner, { startedAt: 0, status: 'failed', calls: 1 }),
        ],
        past(service, owner, { startedAt: edge - DAY_MS, status: 'running', calls: 1 }),
      ]
      await insertPast(database(), [young, ...old, running])
      expect([tier, await sweepOf(service).run()]).toEqual([tier, 3])
      expect(await kept(owner)).toEqual([young.executionId, running.executionId].sort())
      expect(await sweepOf(service).run()).toBe(0)
    }
  })

  // holds ANA-10
  test('a real execution is deleted after its days, except for its counts', async () => {
    const scene = await setScene(database())
    const { executionId } = await ranAndCalled(scene)
    const usage = await scene.usage()
    scene.service.clock.advance(7 * DAY_MS)
    await scene.service.renew()
    expect(await sweepOf(scene.service).run()).toBe(0)
    expect((await scene.trace(executionId)).capabilityCalls).toHaveLength(1)
    scene.service.clock.advance(1)
    expect(await sweepOf(scene.service).run()).toBe(1)
    expect(await kept(scene.owner)).toEqual([])
    expect(await scene.usage()).toEqual(usage)
    expect(usage).toMatchObject({ executions: 1, capability_calls: 1 })
  })

  test('a plan that is changed counts from then on: a smaller one shows and keeps less at once, a larger one more', async () => {
    const service = await start()
    const owner = await service.owner('pro')
    const { runtimeId } = await service.runtime(owner)
    const old = past(service, owner, { runtimeId, startedAt: service.clock.now() - 8 * DAY_MS })
    await insertPast(database(), [old])
    const shown = async () =>
      (await service.send('GET', `/v1/traces/${old.executionId}`, { key: owner.apiKey })).statusCode
    const { email } = owner
    expect([await sweepOf(service).run(), await shown()]).toEqual([0, 200])
    await updateTier(service.deps.db, email, 'free', service.clock.now())
    expect(await shown()).toBe(404)
    await updateTier(service.deps.db, email, 'pro', service.clock.now())
    expect(await shown()).toBe(200)
    await updateTier(service.deps.db, email, 'free', service.clock.now())
    expect([await sweepOf(service).run(), await shown()]).toEqual([1, 404])
  })

  test('roll-ups are deleted once the plan’s analytics no longer show them, and not before', async () => {
    const service = await start()
    const owner = await service.owner()
    const now = service.clock.now()
    const hours = [0, 7, 10].map((days) => Math.floor((now - days * DAY_MS) / DAY_MS) * DAY_MS)
    const place = { owner_id: owner.ownerId, runtime_id: 'rt_1', project_id: 'proj_1', span: 0 }
    for (const grain of ['hour', 'day'] as const) {
      const rows = hours.map((at) => ({ ...place, grain, at }))
      await database().db.insertInto('execution_rollups').values(rows).execute()
      const ofCalls = rows.map((row) => ({ ...row, capability: 'echo' }))
      await database().db.insertInto('call_rollups').values(ofCalls).execute()
    }
    await sweepOf(service).run()
    for (const table of ['execution_rollups', 'call_rollups'] as const) {
      const rows = await database()
        .db.selectFrom(table)
        .select(['grain', 'at'])
        .where('owner_id', '=', owner.ownerId)
        .orderBy('at', 'desc')
        .execute()
      expect(rows.filter(({ grain }) => grain === 'hour').map(({ at }) => at)).toEqual(hours.slice(0, 2))
      expect(rows.filter(({ grain }) => grain === 'day').map(({ at }) => at)).toEqual(hours.slice(0, 2))
    }
  })

  test('one transaction takes at most 500 executions, and fewer where they made many calls, but always one', async () => {
    const service = await start()
    const owner = await service.owner()
    const startedBefore = service.clock.now()
    const put = (count: number, fields: Partial<PastExecution>) =>
      insertPast(
        database(),
        Array.from({ length: count }, (_, index) => past(service, owner, { startedAt: index, ...fields })),
      )
    const steps = async () => {
      const counts: number[] = []
      do counts.push((await deleteSomeEnded(database().db, { ownerId: owner.ownerId, startedBefore })).executions)
      while (counts.at(-1) !== 0)
      return counts
    }
    await put(1_203, {})
    expect(await steps()).toEqual([500, 500, 203, 0])
    await put(45, { calls: 100 })
    expect(await steps()).toEqual([20, 20, 5, 0])
    await put(2, { calls: 2_001 })
    expect(await steps()).toEqual([1, 1, 0])
    expect(await kept(owner)).toEqual([])
  })

  test('all accounts are swept, and one without expired executions keeps all of them', async () => {
    const service = await start()
    const owners = Array.from({ length: 230 }, () => service.deps.newId('owner'))
    const tier = 'free' as const
    await database()
      .db.insertInto('owners')
      .values(owners.map((id) => ({ owner_id: id, email: `${id.toLowerCase()}@example.com`, tier, created_at: 0 })))
      .execute()
    const stays = await service.owner()
    const young = past(service, stays, { startedAt: service.clock.now() })
    const of = (ownerId: string) => ({ ...past(service, stays, { startedAt: 1 }), ownerId })
    await insertPast(database(), [young, ...owners.map(of)])
    expect(await sweepOf(service).run()).toBe(230)
    expect(await kept(stays)).toEqual([young.executionId])
  })

  test('a second run joins a sweep in progress; one that is stopped ends early and begins no more', async () => {
    const service = await start()
    const owner = await service.owner()
    const old = () => Array.from({ length: 1_100 }, () => past(service, owner, { startedAt: 1 }))
    await insertPast(database(), old())
    const joined = sweepOf(service)
    expect(await Promise.all([joined.run(), joined.run(), joined.run()])).toEqual([1_100, 1_100, 1_100])
    await insertPast(database(), old())
    const stopped = sweepOf(service)
    const running = stopped.run()
    await stopped.stop()
    const left = (await kept(owner)).length
    expect(left).toBeGreaterThanOrEqual(600)
    expect(await running).toBe(1_100 - left)
    expect(await stopped.run()).toBe(0)
    expect(await kept(owner)).toHaveLength(left)
  })

  test('executions can be listed, run and settled while others are deleted', async () => {
    const scene = await setScene(database(), { tier: 'enterprise' })
    const edge = scene.service.clock.now() - 400 * DAY_MS
    const old = Array.from({ length: 3_000 }, () => past(scene.service, scene.owner, { startedAt: edge - 1, calls: 1 }))
    await insertPast(database(), old)
    const sweeping = sweepOf(scene.service).run()
    const answers = await Promise.all(Array.from({ length: 40 }, () => scene.executeAsOwner()))
    const ids = answers.map((answer) => executed(answer).executionId)
    expect(await sweeping).toBe(3_000)
    expect(await kept(scene.owner)).toEqual(ids.sort())
  })
})

describeEngines('retention on replicas', (engine) => {
  test('several may sweep at once: each execution is deleted and counted by one of them', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const { service, owner, database } = a
    const old = Array.from(
      { length: 2_400 },
      (_, index): PastExecution => ({
        ownerId: owner.ownerId,
        executionId: service.deps.newId('execution'),
        runtimeId: 'rt_of_the_past',
        projectId: 'proj_of_the_past',
        status: index % 2 ? 'completed' : 'failed',
        startedAt: index,
        calls: 1,
      }),
    )
    await insertPast(database, old)
    const sweeps = [a, b, a, b].map((scene) => createRetentionSweep(scene.service.deps).run())
    const counts = await Promise.all(sweeps)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_400)
    // A replica leaves alone what another has locked, and does not wait for it: who is last finds the rest.
    const left = await database.db.selectFrom('executions').select('execution_id').execute()
    expect(left).toEqual([])
  })
})

async function ranAndCalled(scene: Scene): Promise<{ executionId: string }> {
  const answer = await scene.call({ capability: 'echo' })
  return answer.json()
}
