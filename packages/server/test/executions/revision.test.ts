import { startOwnerEndpoint } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { updateTier } from '../../src/accounts/store.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngines } from '../support/engines.ts'
import { callTool, sendModern } from '../support/mcp.ts'
import { type ReplicatedScene, setReplicatedScene } from '../support/replicas.ts'
import { deployed, executed, type Scene, saying } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability } from '../support/service.ts'

const PAGE = 'https://shop.example.com'

/** Lets a replica remember the runtime by its key and by its id. */
async function warm(scene: Scene): Promise<void> {
  expect((await scene.call({ capability: 'echo' })).statusCode).toBe(200)
  expect((await scene.broker('echo')).statusCode).toBe(200)
  expect((await scene.executeAsOwner()).statusCode).toBe(200)
}

describeEngines('a change made on one replica, on the very next call to another', (engine) => {
  async function setWarmScene(): Promise<ReplicatedScene> {
    const replicated = await setReplicatedScene(engine, { handle: { added: () => ({ output: 'added' }) } })
    await warm(replicated.b)
    return replicated
  }

  function allow({ service, owner, runtime }: Scene, origins: string[]) {
    const url = `/v1/runtimes/${runtime.runtimeId}/allowed-origins`
    return service.send('PUT', url, { key: owner.apiKey, body: { origins } })
  }

  // holds DEP-07
  test('a new deployment: its new capability is found, its removed one is not, and the model has its tools', async () => {
    const { a, b } = await setWarmScene()
    await deployed(a.service, a.runtime, { capabilities: [capability('added')] })
    expect((await b.broker('added')).json()).toMatchObject({ output: 'added' })
    expect((await b.broker('echo')).statusCode).toBe(404)
    await deployed(a.service, a.runtime, { capabilities: [capability('echo'), capability('added')] })
    expect((await b.call({ capability: 'added' })).json()).toMatchObject({ output: 'added' })
    await deployed(a.service, a.runtime, { capabilities: [capability('added')], agent: { instructions: 'New.' } })
    await b.execute()
    expect(b.service.model.requests.at(-1)).toMatchObject({ instructions: 'New.', tools: [{ name: 'added' }] })
    expect((await b.call({ capability: 'echo' })).statusCode).toBe(404)
  })

  // holds DEP-07
  test('a new input schema: invalid inputs are refused, and valid ones are not', async () => {
    const { a, b } = await setWarmScene()
    const inputSchema = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } }
    await deployed(a.service, a.runtime, {
      capabilities: [capability('echo', { actions: [{ name: 'echo', inputSchema }] })],
    })
    expect((await b.broker('echo', { input: { count: 1 } })).statusCode).toBe(200)
    await deployed(a.service, a.runtime)
    expect((await b.broker('echo', { input: { text: 'a' } })).statusCode).toBe(200)
    await deployed(a.service, a.runtime, {
      capabilities: [capability('echo', { actions: [{ name: 'echo', inputSchema }] })],
    })
    expect((await b.broker('echo', { input: {} })).statusCode).toBe(400)
    expect((await b.call({ capability: 'echo', input: { text: 'a' } })).statusCode).toBe(400)
  })

  // holds CAP-07
  test('a capability that starts or stops to require an end user', async () => {
    const { a, b } = await setWarmScene()
    await deployed(a.service, a.runtime, { capabilities: [capability('echo', { requiresEndUser: true })] })
    expect((await b.broker('echo')).statusCode).toBe(401)
    await deployed(a.service, a.runtime)
    expect((await b.broker('echo')).statusCode).toBe(200)
  })

  // holds RTR-07
  test('allowed origins, when they exclude a page and when they include it', async () => {
    const { a, b } = await setWarmScene()
    const ask = () => b.execute(saying(), { headers: { origin: PAGE } })
    expect((await allow(a, ['https://other.example.com'])).statusCode).toBe(200)
    const refused = await ask()
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([403, undefined])
    await allow(a, [PAGE])
    const answered = await ask()
    expect([answered.statusCode, answered.headers['access-control-allow-origin']]).toEqual([200, PAGE])
    await allow(a, [])
    expect((await b.execute(saying(), { headers: { origin: 'https://any.example.com' } })).statusCode).toBe(200)
  })

  // holds RTR-07
  test('allowed origins, when they exclude a page that speaks MCP', async () => {
    const { a, b } = await setWarmScene()
    const headers = { origin: PAGE }
    const ask = () => [callTool(b, 'echo', {}, { headers }), sendModern(b, 'tools/list', { headers })] as const
    const before = a.endpoint.effects.length
    for (const answer of ask()) expect((await answer).statusCode).toBe(200)
    expect(a.endpoint.effects).toHaveLength(before + 1)
    expect((await allow(a, ['https://other.example.com'])).statusCode).toBe(200)
    for (const answer of ask()) {
      const { statusCode, headers: sent } = await answer
      expect([statusCode, sent['access-control-allow-origin']]).toEqual([403, undefined])
    }
    expect(a.endpoint.effects).toHaveLength(before + 1)
  })

  test('an endpoint that was registered again', async () => {
    const { a, b } = await setWarmScene()
    const moved = await startOwnerEndpoint({
      handle: { echo: () => ({ output: 'moved' }) },
      now: () => a.service.clock.now(),
    })
    onTestFinished(() => moved.close())
    moved.trust({ runtimeId: a.runtime.runtimeId, secrets: [a.runtime.secret] })
    const body = { runtimeId: a.runtime.runtimeId, name: 'Shop', endpoint: moved.url }
    expect((await a.service.send('POST', '/v1/runtimes', { key: a.owner.apiKey, body })).statusCode).toBe(200)
    expect((await b.broker('echo')).json()).toMatchObject({ output: 'moved' })
    expect((await b.call({ capability: 'echo' })).json()).toMatchObject({ output: 'moved' })
  })

  // holds BIL-13
  test('another plan, also where the quota of the old one was exhausted', async () => {
    const { a, b } = await setWarmScene()
    const answers = await Promise.all(Array.from({ length: 200 }, () => a.executeAsOwner()))
    expect(answers.map((answer) => answer.statusCode)).toContain(429)
    await updateTier(a.service.deps.db, a.owner.email, 'enterprise', a.service.clock.now())
    expect((await b.execute()).statusCode).toBe(200)
    expect((await b.execute()).headers['ratelimit-limit']).toBe('6000')
  })

  // holds BIL-13
  test('another plan is seen at once by a replica that has just refused under the old one', async () => {
    const { a, b } = await setWarmScene()
    await Promise.all(Array.from({ length: 200 }, () => b.executeAsOwner()))
    expect((await b.executeAsOwner()).statusCode).toBe(429)
    await updateTier(a.service.deps.db, a.owner.email, 'pro', a.service.clock.now())
    expect((await b.executeAsOwner()).statusCode).toBe(200)
  })

  const endings = [
    ['revoked', { revoked_at: 1 }],
    ['expired', { expires_at: 1 }],
  ] as const

  // holds KEY-19
  test.each(endings)('a key that was %s', async (_, change) => {
    const { a, b } = await setWarmScene()
    const { db } = a.database
    const { runtimeId } = a.runtime
    await db
      .updateTable('credentials')
      .set(change)
      .where('runtime_id', '=', runtimeId)
      .where('kind', '=', 'public')
      .execute()
    await db
      .updateTable('runtimes')
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('runtime_id', '=', runtimeId)
      .execute()
    const before = await a.charged()
    for (const answer of [await b.execute(), await b.call({ capability: 'echo' }), await a.execute()]) {
      expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'unauthorized'])
    }
    expect(await a.charged()).toEqual(before)
  })

  test('a cached key stops at its expiry, without a change of the runtime', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const { clock } = b.service
    await a.database.db
      .updateTable('credentials')
      .set({ expires_at: clock.now() + 5_000 })
      .where('runtime_id', '=', a.runtime.runtimeId)
      .execute()
    clock.advance(4_999)
    expect((await b.execute()).statusCode).toBe(200)
    clock.advance(1)
    expect((await b.execute()).statusCode).toBe(401)
  })

  // holds EXE-10
  test('a running execution ends on the deployment that it began with', async () => {
    const { a, b } = await setWarmScene()
    const [asked, released] = [deferred(), deferred()]
    b.service.model.say(async function* () {
      asked.resolve()
      await released.promise
      yield* calls({ name: 'echo', input: { text: 'a' } })
    }, text('done'))
    const answer = b.execute()
    await asked.promise
    await deployed(a.service, a.runtime, { capabilities: [capability('added')] })
    released.resolve()
    const body = executed(await answer)
    expect(body.messages[1]).toMatchObject({ parts: [{ output: { text: 'a' } }] })
    expect((await b.trace(body.executionId)).deploymentVersion).toBe(1)
  })
})
