import {
  type CreatedRuntime,
  changeSentence,
  DeploymentDetail,
  DeployResponse,
  Heartbeat,
  RuntimeDetail,
  RuntimeStatus,
} from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { executed, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability, deployBody, startService, type TestOwner, type TestService } from '../support/service.ts'

describeEngines('deployments', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const service = await startService(database())
    onTestFinished(() => service.close())
    const owner = await service.owner('pro')
    const runtime = await service.runtime(owner)
    return { service, owner, runtime }
  }

  // holds DEP-01
  test('a deployment returns its number, and which capabilities have an input schema', async () => {
    const { service, runtime } = await start()
    const answer = await service.deploy(runtime, {
      capabilities: [
        capability('with-schema'),
        capability('with-output-alone', { actions: [{ name: 'x', outputSchema: { type: 'string' } }] }),
        capability('without-schema', { actions: [{ name: 'x' }] }),
        capability('without-action', { actions: [] }),
        { name: 'bare', version: '0.1.0' },
      ],
    })
    expect(answer.statusCode).toBe(201)
    const sent: unknown = answer.json()
    expect(DeployResponse.parse(sent)).toEqual(sent)
    expect(sent).toEqual({
      version: 1,
      status: 'active',
      capabilities: [
        { name: 'with-schema', hasInputSchema: true },
        { name: 'with-output-alone', hasInputSchema: false },
        { name: 'without-schema', hasInputSchema: false },
        { name: 'without-action', hasInputSchema: false },
        { name: 'bare', hasInputSchema: false },
      ],
      warnings: [],
      changes: [],
    })
  })

  test('a stored deployment of a later release serves without the fields that this one does not know', async () => {
    const scene = await setScene(database())
    const { db } = database()
    const { runtimeId } = scene.runtime
    const stored = db.selectFrom('deployments').select('manifest').where('runtime_id', '=', runtimeId)
    const { manifest } = await stored.executeTakeFirstOrThrow()
    const { capabilities, website, ...known } = JSON.parse(manifest)
    const future = {
      ...{ ...known, website: { ...website, mood: 'good' }, pricing: [{ per: 'call' }] },
      capabilities: capabilities.map((one: { actions: object[] }) => ({
        ...{ ...one, audit: { keep: true } },
        actions: one.actions.map((action) => ({ ...action, stream: true })),
      })),
    }
    const { owner } = scene
    const later = await startService(database(), { masterKey: scene.service.masterKey })
    onTestFinished(() => later.close())
    await db
      .updateTable('deployments')
      .set({ manifest: JSON.stringify(future) })
      .where('runtime_id', '=', runtimeId)
      .execute()
    const called = await later.send('POST', `/v1/capabilities/${runtimeId}/echo`, { body: { input: { text: 'a' } } })
    expect([called.statusCode, called.json().output]).toEqual([200, { text: 'a' }])
    const detail = await later.send('GET', `/v1/runtimes/${runtimeId}/deployments/1`, { key: owner.apiKey })
    expect(detail.json().manifest).toEqual(JSON.parse(manifest))
  })

  // holds DEP-27, DEP-28
  test('a deployment returns the changes since the previous one, and a warning if there is no endpoint', async () => {
    const { service, owner, runtime } = await start()
    const input = (maximum: number) => ({
      actions: [{ name: 'book', inputSchema: { type: 'object', properties: { size: { type: 'integer', maximum } } } }],
    })
    await service.deploy(runtime, { capabilities: [capability('book', input(20)), capability('gone')] })
    const after = {
      capabilities: [capability('book', input(12)), capability('new')],
      endpoint: 'https://b.example/svc',
    }
    const { changes, warnings } = DeployResponse.parse((await service.deploy(runtime, after)).json())
    expect(changes.map(changeSentence)).toEqual([
      'endpoint: http://127.0.0.1:9/svc → https://b.example/svc',
      'book: size maximum 20 → 12, breaking',
      'new: added',
      'gone: removed, breaking',
    ])
    expect(warnings).toEqual([expect.stringContaining('“gone”')])
    expect((await service.deploy(runtime, after)).json()).toMatchObject({ changes: [], warnings: [] })

    const bare = await service.runtime(owner, { endpoint: undefined })
    expect((await service.deploy(bare)).json()).toMatchObject({
      warnings: [expect.stringMatching(/no endpoint.*the broker answers 404/)],
    })
    expect((await service.deploy(bare, { endpoint: 'https://c.example/svc' })).json()).toMatchObject({ warnings: [] })
    expect((await service.deploy(bare)).json()).toMatchObject({ warnings: [] })
  })

  // holds DEP-29
  test('the deploy key reads the active deployment with its manifest, and gets 404 before the first', async () => {
    const { service, runtime } = await start()
    const serving = () => service.send('GET', '/v1/runtime/deployment', { key: runtime.deployKey })
    expect(refusalOf(await serving(), 'not_found')).toBe('A deployment of this runtime was not found.')
    await service.deploy(runtime)
    await service.deploy(runtime, { capabilities: [capability('b')] })
    const answer = await serving()
    const sent: unknown = answer.json()
    expect(DeploymentDetail.parse(sent)).toEqual(sent)
    expect(sent).toMatchObject({ version: 2, status: 'active', manifest: { capabilities: [{ name: 'b' }] } })
  })

  test('a deployment without capabilities is accepted and serves none', async () => {
    const { service, runtime } = await start()
    expect((await service.deploy(runtime, { capabilities: [] })).json()).toMatchObject({ version: 1, capabilities: [] })
    expect((await status(service, runtime)).capabilities).toEqual([])
  })

  // holds DEP-02
  test('40 concurrent deployments get the numbers 1 to 40, each once, and the last one is active', async () => {
    const { service, owner, runtime } = await start()
    const other = await service.runtime(owner)
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const name = `c${index}`
        const { version } = DeployResponse.parse(
          (await service.deploy(runtime, { capabilities: [capability(name)] })).json(),
        )
        return { version, name }
      }),
    )
    const inOrder = answers.sort((a, b) => a.version - b.version)
    expect(inOrder.map(({ version }) => version)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    const serving = await status(service, runtime)
    expect(serving.deployment?.version).toBe(40)
    expect(serving.capabilities).toEqual([inOrder.at(-1)?.name])
    expect(DeployResponse.parse((await service.deploy(other)).json()).version).toBe(1)
  })

  // holds DEP-06
  test('a refused deployment takes no number and does not change the active one', async () => {
    const { service, runtime } = await start()
    await service.deploy(runtime, { capabilities: [capability('before')] })
    const before = await status(service, runtime)
    faultsIn(await service.deploy(runtime, { capabilities: [capability('no good')] }))
    faultsIn(await service.deploy(runtime, { capabilities: [], endpoint: 'http://a.example' }))
    expect(await status(service, runtime)).toEqual(before)
    expect(DeployResponse.parse((await service.deploy(runtime)).json()).version).toBe(2)
  })

  // holds DEP-03, SVC-05, SVC-09
  test('a new deployment replaces the previous one entirely, from the next call on', async () => {
    const { service, runtime, broker, execute } = await setScene(database(), {
      tier: 'pro',
      manifest: { capabilities: [capability('old'), capability('echo')] },
    })
    expect((await broker('echo', { input: { text: 'a' } })).statusCode).toBe(200)
    const strict = { type: 'object', properties: { text: { type: 'string', maxLength: 2 } } }
    await service.deploy(runtime, {
      capabilities: [capability('echo', { actions: [{ name: 'echo', inputSchema: strict }] })],
    })
    refusalOf(await broker('old'), 'not_found')
    expect(Object.keys(faultsIn(await broker('echo', { input: { text: 'abc' } })))).toContain('input.text')
    service.model.say(calls({ name: 'old', input: {} }), text('No.'))
    const { messages } = executed(await execute())
    expect(messages[1]).toMatchObject({ role: 'tool', parts: [{ error: {} }] })
    expect(service.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo'])
  })

  // holds DEP-19
  test('a removed capability is named in a warning unless it was deprecated', async () => {
    const { service, runtime } = await start()
    const deprecated = { deprecated: true, deprecatedSince: '1.0.0' }
    const first = [capability('kept'), capability('gone'), capability('also-gone'), capability('retired', deprecated)]
    expect((await service.deploy(runtime, { capabilities: first })).json().warnings).toEqual([])
    const { warnings } = DeployResponse.parse(
      (await service.deploy(runtime, { capabilities: [capability('kept')] })).json(),
    )
    expect(warnings).toEqual([expect.stringContaining('“gone”'), expect.stringContaining('“also-gone”')])
    expect((await service.deploy(runtime, { capabilities: [capability('kept')] })).json().warnings).toEqual([])
    const renamed = DeployResponse.parse((await service.deploy(runtime, { capabilities: [capability('KEPT')] })).json())
    expect(renamed.warnings).toEqual([expect.stringContaining('“kept”')])
  })

  // holds DEP-12
  test('the endpoint is the last one registered or deployed; leaving it out keeps it', async () => {
    const { service, owner, runtime } = await start()
    const { runtimeId } = runtime
    const endpoint = async () => (await detail(service, owner, runtimeId)).endpoint
    const register = (fields: object) =>
      service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { runtimeId, name: 'Shop', ...fields } })
    await register({ endpoint: 'https://one.example/svc' })
    await service.deploy(runtime)
    expect(await endpoint()).toBe('https://one.example/svc')
    await service.deploy(runtime, { endpoint: 'https://two.example/svc' })
    expect(await endpoint()).toBe('https://two.example/svc')
    await register({})
    expect(await endpoint()).toBe('https://two.example/svc')
    await register({ endpoint: 'https://three.example/svc' })
    expect(await endpoint()).toBe('https://three.example/svc')
    await service.deploy(runtime)
    expect(await endpoint()).toBe('https://three.example/svc')
  })

  // holds CON-01, CON-02, CON-06
  test('the status before the first deployment has no deployment and no capabilities', async () => {
    const { service, runtime } = await start()
    expect(await status(service, runtime)).toEqual({
      runtimeId: runtime.runtimeId,
      name: 'Shop',
      baseUrl: 'https://svc.test',
      endpoint: 'http://127.0.0.1:9/svc',
      deployment: null,
      candidate: null,
      capabilities: [],
      deprecated: [],
      effects: [],
      unknownCalls: 0,
      waitingApprovals: 0,
      connection: { status: 'online', transport: 'http' },
      // Nothing listens at its endpoint.
      health: 'degraded',
      healthNote: 'The last call or probe failed. The endpoint could not be reached. Is your server running?',
      provider: { name: 'scripted', model: 'test' },
    })
  })

  // holds CON-01, DEP-04
  test('the status shows the active deployment, its capabilities in order, and the service’s model', async () => {
    const { service, runtime } = await start()
    await service.deploy(runtime)
    service.clock.advance(5_000)
    await service.deploy(runtime, { capabilities: [capability('b'), capability('a')] })
    expect(await status(service, runtime)).toMatchObject({
      deployment: { version: 2, status: 'active', deployedAt: new Date(service.clock.now()).toISOString() },
      capabilities: ['b', 'a'],
    })
  })

  // holds CON-13
  test('the status shows the runtime’s current registered name', async () => {
    const { service, owner, runtime } = await start()
    const { runtimeId } = runtime
    expect((await status(service, runtime)).name).toBe('Shop')
    await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { runtimeId, name: 'Läden & “more”' } })
    expect(await status(service, runtime)).toMatchObject({ runtimeId, name: 'Läden & “more”' })
  })

  // holds CAP-18, RT-18
  test('the status lists deprecated capabilities among the others, and marks them', async () => {
    const { service, owner, runtime } = await start()
    await service.deploy(runtime, {
      capabilities: [
        capability('kept'),
        capability('old', { deprecated: true, deprecatedSince: '1.1.0', removalNotBefore: '2.0.0' }),
        capability('older', { deprecated: true, deprecatedSince: '0.9.0' }),
        capability('spared', { deprecated: false, deprecatedSince: '0.9.0' }),
      ],
    })
    expect(await status(service, runtime)).toMatchObject({
      capabilities: ['kept', 'old', 'older', 'spared'],
      deprecated: [
        { name: 'old', deprecatedSince: '1.1.0', removalNotBefore: '2.0.0' },
        { name: 'older', deprecatedSince: '0.9.0', removalNotBefore: null },
      ],
    })
    const { capabilities } = await detail(service, owner, runtime.runtimeId)
    expect(capabilities.map(({ deprecated }) => deprecated)).toEqual([false, true, true, false])
    await service.deploy(runtime)
    expect((await status(service, runtime)).deprecated).toEqual([])
  })

  // holds CAP-19
  test('a deprecated capability still answers anonymous callers and the model', async () => {
    const { service, runtime, broker, execute } = await setScene(database(), { tier: 'pro' })
    const deprecated = { deprecated: true, deprecatedSince: '1.0.0', removalNotBefore: '1.0.0' }
    const answer = await service.deploy(runtime, { capabilities: [capability('echo', deprecated)] })
    expect(answer.json()).toMatchObject({ capabilities: [{ name: 'echo' }], warnings: [] })
    expect((await broker('echo', { input: { text: 'a' } })).json()).toMatchObject({ output: { text: 'a' } })
    service.model.say(calls({ name: 'echo', input: { text: 'b' } }), text('Yes.'))
    const { messages } = executed(await execute())
    expect(messages[1]).toMatchObject({ role: 'tool', parts: [{ output: { text: 'b' } }] })
  })

  // holds CON-03
  test('a heartbeat takes no body, answers its time, and does not change the deployment', async () => {
    const { service, owner, runtime } = await start()
    await service.deploy(runtime)
    const before = await detail(service, owner, runtime.runtimeId)
    service.clock.advance(1_234)
    const answer = await service.send('POST', '/v1/runtime/heartbeat', { key: runtime.deployKey })
    const lastSeenAt = new Date(service.clock.now()).toISOString()
    expect(answer.statusCode).toBe(200)
    expect(Heartbeat.parse(answer.json())).toEqual({ status: 'ok', lastSeenAt })
    const connection = { status: 'online', transport: 'http' }
    expect(await detail(service, owner, runtime.runtimeId)).toEqual({ ...before, lastSeenAt, connection })
  })

  // holds DEP-20
  test('a deploy key deploys to its own runtime, even if the manifest names another', async () => {
    const { service, owner, runtime } = await start()
    const other = await service.runtime(owner)
    const { manifest } = deployBody()
    const metadata = { runtimeId: other.runtimeId }
    await service.send('POST', '/v1/deployments', {
      key: runtime.deployKey,
      body: { manifest: { ...manifest, metadata } },
    })
    expect((await status(service, runtime)).deployment?.version).toBe(1)
    expect((await status(service, other)).deployment).toBeNull()
  })
})

async function status(service: TestService, runtime: CreatedRuntime): Promise<RuntimeStatus> {
  const answer = await service.send('GET', '/v1/runtime/status', { key: runtime.deployKey })
  const sent: unknown = answer.json()
  const seen = RuntimeStatus.parse(sent)
  expect(sent).toEqual(seen)
  return seen
}

async function detail(service: TestService, owner: TestOwner, runtimeId: string): Promise<RuntimeDetail> {
  return RuntimeDetail.parse((await service.send('GET', `/v1/runtimes/${runtimeId}`, { key: owner.apiKey })).json())
}
