import { type OwnerEndpoint, startOwnerEndpoint } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { deployed, type Scene, setScene } from '../support/scene.ts'
import { capability, deployBody } from '../support/service.ts'

const CAPABILITIES = [capability('echo')]

/** Another endpoint of the scene's runtime, which answers with its name. */
async function another({ service, runtime }: Scene, name: string): Promise<OwnerEndpoint> {
  const { runtimeId, secret } = runtime
  const handle = { echo: () => ({ output: name }) }
  const endpoint = await startOwnerEndpoint({ runtimeId, secret, handle, now: () => service.clock.now() })
  onTestFinished(() => endpoint.close())
  return endpoint
}

function promote({ service, runtime }: Scene, version: number | string, body: object = {}) {
  return service.send('POST', `/v1/deployments/${version}/promote`, { key: runtime.deployKey, body })
}

async function candidate({ service, runtime }: Scene, manifest: object, traffic = 100): Promise<void> {
  const body = { ...deployBody({ capabilities: CAPABILITIES, ...manifest }), traffic }
  const answer = await service.send('POST', '/v1/deployments', { key: runtime.deployKey, body })
  expect(answer.statusCode).toBe(201)
}

function move({ service, owner, runtime }: Scene, endpoint: string) {
  const { runtimeId } = runtime
  return service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { runtimeId, name: 'Shop', endpoint } })
}

/** The answers of the endpoints at which the stable deployment and a candidate that serves everything are called. */
const answers = {
  stable: async (scene: Scene) => (await scene.broker('echo', { input: {} })).json().output,
  candidate: async (scene: Scene) => (await scene.call({ capability: 'echo' })).json().output,
}

describeEngines('a rollback', (engine) => {
  const database = useDatabase(engine)

  // holds TRAF-05
  test('goes back to where the deployment was called, which its manifest need not name', async () => {
    const scene = await setScene(database(), { handle: { echo: () => ({ output: 'first' }) } })
    const second = await another(scene, 'second')
    await deployed(scene.service, scene.runtime, { capabilities: CAPABILITIES, endpoint: second.url })
    expect(await answers.stable(scene)).toBe('second')
    expect((await promote(scene, 'previous')).statusCode).toBe(200)
    expect(await answers.stable(scene)).toBe('first')
    await promote(scene, 2)
    expect(await answers.stable(scene)).toBe('second')
    // As a candidate, too.
    await promote(scene, 1, { traffic: 100 })
    expect([await answers.stable(scene), await answers.candidate(scene)]).toEqual(['second', 'first'])
  })

  test('goes back to the first endpoint of a runtime whose deployment began without one', async () => {
    const scene = await setScene(database())
    const [first, second] = [await another(scene, 'first'), await another(scene, 'second')]
    for (const table of ['runtimes', 'deployments'] as const) {
      const own = { runtime_id: scene.runtime.runtimeId }
      await database()
        .db.updateTable(table)
        .set({ endpoint: null })
        .where((eb) => eb.and(own))
        .execute()
    }
    expect((await move(scene, first.url)).statusCode).toBe(200)
    expect(await answers.stable(scene)).toBe('first')
    await deployed(scene.service, scene.runtime, { capabilities: CAPABILITIES, endpoint: second.url })
    await promote(scene, 'previous')
    expect(await answers.stable(scene)).toBe('first')
  })

  test('follows a runtime that was moved, with every deployment that was called at the endpoint before', async () => {
    const scene = await setScene(database(), { handle: { echo: () => ({ output: 'first' }) } })
    const [second, moved] = [await another(scene, 'second'), await another(scene, 'moved')]
    await deployed(scene.service, scene.runtime, { capabilities: CAPABILITIES })
    await candidate(scene, {})
    expect((await move(scene, moved.url)).statusCode).toBe(200)
    expect([await answers.stable(scene), await answers.candidate(scene)]).toEqual(['moved', 'moved'])
    await deployed(scene.service, scene.runtime, { capabilities: CAPABILITIES, endpoint: second.url })
    await promote(scene, 1)
    expect(await answers.stable(scene)).toBe('moved')
  })

  test('to a deployment of an earlier release is to where its manifest says, and is recorded from then on', async () => {
    const scene = await setScene(database(), { handle: { echo: () => ({ output: 'first' }) } })
    const [second, third] = [await another(scene, 'second'), await another(scene, 'third')]
    await deployed(scene.service, scene.runtime, { capabilities: CAPABILITIES, endpoint: second.url })
    await scene.database.db.updateTable('deployments').set({ endpoint: null }).execute()
    await promote(scene, 1)
    expect(await answers.stable(scene)).toBe('second')
    await deployed(scene.service, scene.runtime, { capabilities: CAPABILITIES, endpoint: third.url })
    await promote(scene, 2)
    await promote(scene, 1)
    expect(await answers.stable(scene)).toBe('second')
  })

  // holds TRAF-05
  test('goes through while the disk is full, and so does a new share', async () => {
    let free = 1024 ** 3
    const scene = await setScene(database(), { freeBytes: async () => free })
    await candidate(scene, {}, 5)
    await promote(scene, 2)
    free = 0
    await scene.service.deps.diskSpace.sample()
    const refused = await scene.service.deploy(scene.runtime, { capabilities: CAPABILITIES })
    expect(refusalOf(refused, 'rate_limit_exceeded')).toContain('disk space')
    expect((await promote(scene, 2, {})).statusCode).toBe(200)
    expect((await promote(scene, 'previous')).json()).toEqual({ version: 1, status: 'active' })
    expect((await promote(scene, 2, { traffic: 0 })).json()).toEqual({ version: 2, status: 'candidate' })
  })
})

describeEngines('a candidate at an endpoint of its own', (engine) => {
  const database = useDatabase(engine)
  const cut = { fault: 'cut', at: 'before-head', how: 'reset' } as const

  test('says nothing of the runtime’s: neither that it cannot be reached, nor that it was heard from', async () => {
    const scene = await setScene(database())
    const other = await another(scene, 'other')
    await candidate(scene, { endpoint: other.url })
    const runtimes = () =>
      scene.database.db.selectFrom('runtimes').select(['unreachable_since', 'last_seen_at']).execute()
    const before = await runtimes()
    scene.service.clock.advance(60_000)
    await scene.service.renew()
    expect(await answers.candidate(scene)).toBe('other')
    other.script('echo', () => cut)
    for (let call = 0; call < 5; call += 1) await answers.candidate(scene)
    // A sign of life of its own calls would be stored by the time that this one’s is.
    await scene.broker('echo', { input: {} })
    expect(await runtimes()).toEqual([{ ...before[0], last_seen_at: scene.service.clock.now() }])
    scene.service.clock.advance(60_000)
    await scene.service.renew()
    other.script('echo', () => ({ output: 'again' }))
    await answers.candidate(scene)
    expect(await runtimes()).toEqual([{ ...before[0], last_seen_at: scene.service.clock.now() - 60_000 }])
  })
})
