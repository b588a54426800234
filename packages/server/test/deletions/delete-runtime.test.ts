import { randomUUID } from 'node:crypto'
import { BillingUsage, ExecutionList } from '@svc/contract'
import { expect, test } from 'vitest'
import { stopDeleted } from '../../src/deletions/deletions.ts'
import { MAX_LEFT, MAX_RETIRED } from '../../src/deletions/rules.ts'
import { createDeletionSweep } from '../../src/deletions/sweep.ts'
import { Stop } from '../../src/lib/stop-signal.ts'
import { ModelError } from '../../src/model/model.ts'
import { errorOf, faultsIn, refusalOf } from '../support/answers.ts'
import { createGate, deferred } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { insertPast, type PastExecution } from '../support/past.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { rowsNaming } from '../support/rows-naming.ts'
import { executed, type Scene, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

const HOUR_MS = 3_600_000

function remove({ service, owner, runtime }: Scene, confirm = 'Shop', key = owner.apiKey) {
  return service.send('DELETE', `/v1/runtimes/${runtime.runtimeId}`, { key, body: { confirm } })
}

/** The statuses of everything that leads to a runtime. */
async function waysIn(scene: Scene) {
  const { service, runtime, owner } = scene
  const { runtimeId } = runtime
  const status = async (url: string, key?: string) =>
    (await service.send('GET', url, key === undefined ? {} : { key })).statusCode
  return {
    execute: (await scene.execute()).statusCode,
    call: (await scene.call({ capability: 'echo' })).statusCode,
    broker: (await scene.broker('echo')).statusCode,
    deployKey: await status('/v1/runtime/status', runtime.deployKey),
    deploy: (await service.deploy(runtime)).statusCode,
    manifest: await status(`/v1/runtime/${runtimeId}/manifest`),
    openapi: await status(`/v1/runtime/${runtimeId}/openapi.json`),
    detail: await status(`/v1/runtimes/${runtimeId}`, owner.apiKey),
    asOwner: (await scene.executeAsOwner()).statusCode,
  }
}

const CLOSED = { execute: 401, call: 401, broker: 404, deployKey: 401, deploy: 401, manifest: 404, openapi: 404 }

describeEngines('deleting a runtime', (engine) => {
  const database = useDatabase(engine)

  // holds DEL-01, DEL-02
  test('its keys and addresses stop at once on another replica, which had it in its cache', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const open = await waysIn(b)
    expect(open).toMatchObject({ execute: 200, call: 200, broker: 200, deployKey: 200, manifest: 200 })
    expect((await remove(a)).json()).toMatchObject({ runtimeId: a.runtime.runtimeId })
    expect(await waysIn(b)).toEqual({ ...CLOSED, detail: 404, asOwner: 404 })
    expect(await waysIn(a)).toEqual({ ...CLOSED, detail: 404, asOwner: 404 })
  })

  test('waits while rows of a hundred others are left', async () => {
    const scene = await setScene(database())
    const { ownerId } = scene.owner
    const left = Array.from({ length: MAX_LEFT }, (_, at) => `rt_left_${at}`)
    await database()
      .db.insertInto('retired_runtimes')
      .values(left.map((id) => ({ id_hash: `${ownerId} ${id}`, owner_id: ownerId, runtime_id: id, deleted_at: 0 })))
      .execute()
    refusalOf(await remove(scene), 'rate_limit_exceeded')
    executed(await scene.execute())
    await database().db.deleteFrom('retired_runtimes').where('owner_id', '=', ownerId).execute()
    expect((await remove(scene)).statusCode).toBe(200)
  })

  // holds DEL-03
  test('it is gone from every list at once, and another runtime is not', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const { service, owner, runtime } = scene
    const { executionId } = executed(await scene.execute())
    const kept = await service.runtime(owner, { name: 'Other' })
    await remove(scene)
    const lists = ['/v1/runtimes', '/v1/executions', '/v1/events', '/v1/executions/approvals', '/v1/analytics/summary']
    for (const path of lists) {
      const answer = await service.send('GET', path, { key: owner.apiKey })
      expect([path, answer.statusCode]).toEqual([path, 200])
      expect(answer.body).not.toContain(runtime.runtimeId)
      expect(answer.body).not.toContain(executionId)
    }
    const trace = await service.send('GET', `/v1/executions/${executionId}`, { key: owner.apiKey })
    refusalOf(trace, 'not_found')
    const { body } = await service.send('GET', '/v1/runtimes', { key: owner.apiKey })
    expect(body).toContain(kept.runtimeId)
  })

  // holds DEL-04
  test('a body that does not confirm its name names the field, and changes nothing', async () => {
    const scene = await setScene(database())
    for (const confirm of ['shop', 'Shop ', scene.runtime.runtimeId]) {
      expect(faultsIn(await remove(scene, confirm))).toEqual({ confirm: [expect.stringContaining('“Shop”')] })
    }
    expect(
      errorOf(
        await scene.service.send('DELETE', `/v1/runtimes/${scene.runtime.runtimeId}`, { key: scene.owner.apiKey }),
      ).code,
    ).toBe('validation_error')
    executed(await scene.execute())
  })

  test('of several requests one deletes it; the others find none', async () => {
    const scene = await setScene(database())
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(scene)))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404, 404, 404, 404])
  })

  // holds DEL-05
  test('twenty executions at the same time and one deletion: each is charged and stored, or refused and neither', async () => {
    const { a, b } = await setReplicatedScene(engine, { tier: 'pro' })
    const { service, owner, database: store } = a
    const before = await quotaLeft(a)
    const executing = Array.from({ length: 20 }, (_, index) => (index % 2 ? a : b).execute())
    const [answers, deleted] = await Promise.all([Promise.all(executing), remove(b)])
    expect(deleted.statusCode).toBe(200)
    const admitted = answers.filter(({ statusCode }) => statusCode === 200).length
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(20 - admitted)
    const rows = await store.db
      .selectFrom('executions')
      .select('status')
      .where('owner_id', '=', owner.ownerId)
      .execute()
    expect(rows.filter(({ status }) => status !== 'running')).toHaveLength(admitted)
    expect(before - (await quotaLeft(a))).toBe(admitted)
    expect((await a.usage()).executions).toBe(admitted)
    await service.deps.settlements.drain()
  })

  // holds DEL-06
  test.each(['the same', 'another'] as const)(
    'an execution under way on %s replica ends, is settled and metered',
    async (where) => {
      const { a, b } = await setReplicatedScene(engine)
      const running = where === 'another' ? b : a
      const begun = deferred()
      running.service.model.say(async function* ({ signal }) {
        yield { type: 'text', content: 'Once upon' }
        begun.resolve()
        await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
        throw new ModelError('The model call was cancelled.', { usage: { inputTokens: 5, outputTokens: 2 } })
      })
      const executing = running.execute()
      await begun.promise
      await remove(a)
      if (where === 'another') await stopDeleted(b.service.deps)
      expect(executed(await executing)).toMatchObject({
        status: 'failed',
        finishReason: 'error',
        error: { message: expect.stringContaining('deleted') },
      })
      expect(await a.usage()).toMatchObject({ executions: 1, failed: 1, input_tokens: 5, output_tokens: 2 })
    },
  )

  test('a call under way is not waited for, and none is sent after it', async () => {
    const gate = createGate()
    const scene = await setScene(database(), {
      handle: {
        echo: async (call) => {
          await gate.enter()
          return { output: call.input }
        },
      },
    })
    scene.service.model.say(calls({ name: 'echo', input: {} }), calls({ name: 'echo', input: {} }), text('done'))
    const executing = scene.execute()
    await gate.arrived(1)
    await remove(scene)
    expect(executed(await executing)).toMatchObject({ status: 'failed', finishReason: 'error' })
    gate.open()
    await scene.service.deps.running.idle(new Stop())
    expect(scene.endpoint.paths).toHaveLength(1)
  })

  // holds DEL-07
  test('its id is not given again, to its owner or to anybody else', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const { service, owner, runtime } = scene
    const other = await service.owner('pro')
    await remove(scene)
    for (const { apiKey: key } of [owner, other]) {
      const body = { runtimeId: runtime.runtimeId, name: 'Mine' }
      const answer = await service.send('POST', '/v1/runtimes', { key, body })
      expect(faultsIn(answer)).toEqual({ runtimeId: [expect.stringContaining('not given again')] })
    }
    expect((await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { name: 'New' } })).statusCode).toBe(
      201,
    )
  })

  test('an account keeps a bounded number of ids from being given again', async () => {
    const scene = await setScene(database())
    const { ownerId } = scene.owner
    const row = () => ({ id_hash: randomUUID(), owner_id: ownerId, runtime_id: null, deleted_at: 1 })
    const rows = Array.from({ length: MAX_RETIRED + 5 }, row)
    await database().db.insertInto('retired_runtimes').values(rows).execute()
    await remove(scene)
    const kept = await database()
      .db.selectFrom('retired_runtimes')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .execute()
    expect(kept).toHaveLength(MAX_RETIRED + 1)
  })
})

describeEngines('what is left of a deleted runtime', (engine) => {
  const database = useDatabase(engine)

  // holds DEL-08, DEL-09
  test('goes in the background, but for the usage of the present hour, and nothing of another account', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const neighbour = await setScene(database(), { tier: 'pro' })
    executed(await neighbour.execute())
    // On the embedded store the second server has taken over from the first.
    await scene.service.renew()
    executed(await scene.execute())
    await scene.broker('echo')
    const before = await usedNow(scene)
    const neighbours = await rowsNaming(neighbour, neighbour.owner.ownerId)
    await remove(scene)
    const sweep = () => createDeletionSweep(scene.service.deps).run()
    await sweep()
    expect(await usedNow(scene)).toEqual({ ...before, storedBytes: 0 })
    const left = await rowsNaming(scene, scene.runtime.runtimeId)
    expect(Object.keys(left).sort()).toEqual(['call_rollups', 'execution_rollups', 'retired_runtimes'])
    scene.service.clock.advance(2 * HOUR_MS)
    await scene.service.renew()
    await sweep()
    expect(await rowsNaming(scene, scene.runtime.runtimeId)).toEqual({})
    const body = { runtimeId: scene.runtime.runtimeId, name: 'Again' }
    faultsIn(await scene.service.send('POST', '/v1/runtimes', { key: scene.owner.apiKey, body }))
    expect(await rowsNaming(neighbour, neighbour.owner.ownerId)).toEqual(neighbours)
  })

  // holds DEL-10
  test('goes in small steps; a sweep that was cut short, or a new process, goes on', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const other = await scene.service.runtime(scene.owner, { name: 'Other' })
    const past = (count: number, runtimeId: string) =>
      Array.from({ length: count }, (_, index): PastExecution => {
        const executionId = scene.service.deps.newId('execution')
        const place = { ownerId: scene.owner.ownerId, runtimeId, projectId: scene.runtime.projectId }
        return { ...place, executionId, status: index % 3 ? 'completed' : 'failed', startedAt: index, calls: 1 }
      })
    await insertPast(database(), [...past(1_700, scene.runtime.runtimeId), ...past(7, other.runtimeId)])
    const left = async () =>
      (
        await database()
          .db.selectFrom('executions')
          .select('runtime_id')
          .where('owner_id', '=', scene.owner.ownerId)
          .execute()
      ).length
    await remove(scene)
    const cut = createDeletionSweep(scene.service.deps)
    const running = cut.run()
    await cut.stop()
    await running
    expect(await left()).toBeGreaterThanOrEqual(1_207)
    await Promise.all([createDeletionSweep(scene.service.deps).run(), createDeletionSweep(scene.service.deps).run()])
    await createDeletionSweep(scene.service.deps).run()
    expect(await left()).toBe(7)
  })

  test('is not taken for gone while one of its executions runs', async () => {
    const scene = await setScene(database())
    const row = { ownerId: scene.owner.ownerId, executionId: scene.service.deps.newId('execution'), startedAt: 1 }
    const place = { runtimeId: scene.runtime.runtimeId, projectId: scene.runtime.projectId }
    await insertPast(database(), [{ ...row, ...place, status: 'running' }])
    await remove(scene)
    scene.service.clock.advance(2 * HOUR_MS)
    await createDeletionSweep(scene.service.deps).run()
    expect(Object.keys(await rowsNaming(scene, place.runtimeId)).sort()).toEqual(['executions', 'retired_runtimes'])
    const answer = await scene.service.send('GET', '/v1/executions', { key: scene.owner.apiKey })
    expect(ExecutionList.parse(answer.json()).executions).toEqual([])
  })
})

async function quotaLeft({ service, owner }: Scene): Promise<number> {
  const answer = await service.send('GET', '/v1/billing/usage', { key: owner.apiKey })
  return BillingUsage.parse(answer.json()).executions.available ?? 0
}

async function usedNow({ service, owner }: Scene) {
  const answer = await service.send('GET', '/v1/billing/usage', { key: owner.apiKey })
  const { executions, anonymous, capabilityCalls, totalTokens, storedBytes } = BillingUsage.parse(answer.json())
  return { executions, anonymous, capabilityCalls, totalTokens, storedBytes: storedBytes.used }
}
