import { DeploymentList, Trace } from '@svc/contract'
import { expect, test } from 'vitest'
import { createRetentionSweep } from '../../src/executions/retention.ts'
import { refusalOf } from '../support/answers.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { DAY_MS } from '../support/past.ts'
import { deployed, executed, type Scene, setScene } from '../support/scene.ts'
import { text } from '../support/scripted-model.ts'

const MINUTE_MS = 60_000

async function versionsOf({ service, owner, runtime }: Scene): Promise<number[]> {
  const path = `/v1/runtimes/${runtime.runtimeId}/deployments?limit=200`
  const answer = await service.send('GET', path, { key: owner.apiKey })
  return DeploymentList.parse(answer.json()).deployments.map(({ version }) => version)
}

async function deployTimes({ service, runtime }: Scene, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await deployed(service, runtime)
}

describeEngines('the deployments of a runtime', (engine) => {
  const database = useDatabase(engine)

  // holds DEP-23
  test('60 of 80 concurrent ones are accepted, and one more a minute later', async () => {
    const scene = await setScene(database(), { manifest: null })
    const { service, runtime } = scene
    const answers = await Promise.all(Array.from({ length: 80 }, () => service.deploy(runtime)))
    // A database that so many wait for refuses some of them, too.
    expect(answers.filter(({ statusCode }) => statusCode !== 201 && statusCode !== 429)).toEqual([])
    const accepted = await versionsOf(scene)
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(accepted.length)
    for (let count = accepted.length; count < 60; count += 1) await deployed(service, runtime)
    const refused = await service.deploy(runtime)
    expect(refusalOf(refused, 'rate_limit_exceeded')).toMatch(/within an hour/)
    expect(refused.headers['retry-after']).toBe('60')
    service.clock.advance(MINUTE_MS)
    await deployed(service, runtime)
    expect((await service.deploy(runtime)).statusCode).toBe(429)
    expect(await versionsOf(scene)).toHaveLength(61)
  })

  // holds DEP-23
  test('count towards the limit only if they were accepted', async () => {
    const { service, runtime } = await setScene(database(), { manifest: null, limits: { deploymentsPerHour: 2 } })
    const faulty = {
      capabilities: [
        { name: 'a', version: '1.0.0', description: '', actions: [{ name: 'a', inputSchema: { type: 'nothing' } }] },
      ],
    }
    for (let index = 0; index < 5; index += 1) expect((await service.deploy(runtime, faulty)).statusCode).toBe(400)
    await deployed(service, runtime)
    await deployed(service, runtime)
    expect((await service.deploy(runtime)).statusCode).toBe(429)
  })

  test('are promoted within the hourly limit of the account', async () => {
    const scene = await setScene(database(), { limits: { deploymentsPerHour: 2 } })
    const promote = (version: number) =>
      scene.service.send('POST', `/v1/deployments/${version}/promote`, { key: scene.runtime.deployKey, body: {} })
    expect((await promote(9)).statusCode).toBe(404)
    expect((await promote(1)).statusCode).toBe(200)
    expect((await promote(1)).statusCode).toBe(200)
    const refused = await promote(1)
    expect(refusalOf(refused, 'rate_limit_exceeded')).toContain('This account has promoted')
    expect(refused.headers['retry-after']).toBe('1800')
  })

  // holds DEP-24
  test('beyond the newest ones are deleted', async () => {
    const scene = await setScene(database(), { limits: { deploymentsKept: 3 } })
    await deployTimes(scene, 6)
    expect(await versionsOf(scene)).toEqual([7, 6, 5])
    const path = `/v1/runtimes/${scene.runtime.runtimeId}/deployments/4`
    expect((await scene.service.send('GET', path, { key: scene.owner.apiKey })).statusCode).toBe(404)
  })

  // holds DEP-24
  test('are kept while a retained execution names them', async () => {
    const scene = await setScene(database(), { limits: { deploymentsKept: 2 } })
    const { service, owner } = scene
    const { executionId } = executed(await scene.execute())
    await deployTimes(scene, 4)
    expect(await versionsOf(scene)).toEqual([5, 4, 1])
    service.clock.advance(7 * DAY_MS + 1)
    await service.renew()
    await createRetentionSweep(service.deps).run()
    await deployTimes(scene, 1)
    expect(await versionsOf(scene)).toEqual([6, 5])
    expect((await service.send('GET', `/v1/traces/${executionId}`, { key: owner.apiKey })).statusCode).toBe(404)
  })

  // holds DEP-24
  test('are kept while a running execution names them', async () => {
    const scene = await setScene(database(), { limits: { deploymentsKept: 1 } })
    const gate = createGate()
    scene.service.model.say(async function* () {
      await gate.enter()
      yield* text('ok')
    })
    const running = scene.execute()
    await gate.arrived(1)
    await deployTimes(scene, 3)
    expect(await versionsOf(scene)).toEqual([4, 3, 1])
    gate.open()
    const { executionId } = executed(await running)
    const trace = Trace.parse(await scene.trace(executionId))
    expect(trace.deploymentVersion).toBe(1)
    await deployTimes(scene, 1)
    expect(await versionsOf(scene)).toEqual([5, 4, 1])
  })

  test('are deleted despite ended executions that name them once the account’s storage is full', async () => {
    const scene = await setScene(database(), { limits: { deploymentsKept: 1 } })
    executed(await scene.execute())
    await scene.service.deps.aggregation.catchUp()
    await database()
      .db.updateTable('owners')
      .set({ stored_bytes: 200_000_000 })
      .where('owner_id', '=', scene.owner.ownerId)
      .execute()
    await deployTimes(scene, 2)
    // The one before stays for a rollback.
    expect(await versionsOf(scene)).toEqual([3, 2])
  })
})
