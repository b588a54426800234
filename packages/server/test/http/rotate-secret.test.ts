import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { openSecrets } from '../../src/runtimes/serving-runtime.ts'
import { findRuntimeById } from '../../src/runtimes/store.ts'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { keyring } from '../support/keys.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { executed, type Scene, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

const DAY_MS = 86_400_000
const ECHO = { name: 'echo', input: { text: 'a' } }

describeEngines('rotating the signing secret', (engine) => {
  const database = useDatabase(engine)

  // holds KEY-20
  test('creates one, and says when the old one ends: after 24 hours by default, and in 7 days at most', async () => {
    const scene = await setScene(database())
    const now = scene.service.clock.now()
    const { secret, previousSecretExpiresAt } = await keyring(scene).rotateSecret()
    expect([secret.length, previousSecretExpiresAt]).toEqual([43, iso(now + DAY_MS)])
    expect(secret).not.toBe(scene.runtime.secret)
    expect(await keyring(scene).rotateSecret(604_800)).toMatchObject({ previousSecretExpiresAt: iso(now + 7 * DAY_MS) })
    expect(await keyring(scene).rotateSecret(0)).toMatchObject({ previousSecretExpiresAt: iso(now) })
    const url = `/v1/runtimes/${scene.runtime.runtimeId}/rotate-secret`
    const answer = await scene.service.send('POST', url, { key: scene.owner.apiKey, body: { graceSeconds: 604_801 } })
    expect(Object.keys(faultsIn(answer))).toEqual(['graceSeconds'])
  })

  describe.each(['old', 'new', 'old and new'] as const)('a receiver with the %s one', (holding) => {
    // holds KEY-21
    test('answers every call of the grace period, on every route', async () => {
      const scene = await setScene(database())
      const { secret } = await keyring(scene).rotateSecret(60)
      scene.endpoint.trust({ secrets: secretsOf(holding, scene.runtime.secret, secret) })
      await expectAllAnswered(scene)
      scene.service.clock.advance(20_000)
      await scene.service.renew()
      await expectAllAnswered(scene)
      expect(scene.endpoint.effects).toHaveLength(8)
    })

    test('answers on a replica with an outdated cached runtime', async () => {
      const { a, b } = await setReplicatedScene(engine)
      await expectAllAnswered(b)
      const { secret } = await keyring(a).rotateSecret(60)
      a.endpoint.trust({ secrets: secretsOf(holding, a.runtime.secret, secret) })
      await expectAllAnswered(b)
      await expectAllAnswered(a)
    })

    test('answers the calls of a running execution', async () => {
      const scene = await setScene(database())
      const run = await pauseBeforeCall(scene)
      const { secret } = await keyring(scene).rotateSecret(60)
      scene.endpoint.trust({ secrets: secretsOf(holding, scene.runtime.secret, secret) })
      const answer = executed(await run.goOn())
      const results = answer.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool_result'))
      expect(results).toMatchObject([{ output: { text: 'a' } }, { output: { text: 'a' } }])
      expect(results.filter((result) => 'error' in result)).toEqual([])
      expect(scene.endpoint.effects).toHaveLength(2)
    })
  })

  test('fails no call while callers call, the secret is rotated and the receiver changes its secret', async () => {
    const { a, b } = await setReplicatedScene(engine, { tier: 'enterprise' })
    const old = a.runtime.secret
    const callAll = () => Array.from({ length: 10 }, () => [a.broker('echo'), b.broker('echo')]).flat()
    const answers = callAll()
    const { secret } = await keyring(a).rotateSecret(60)
    answers.push(...callAll())
    a.endpoint.trust({ secrets: [old, secret] })
    answers.push(...callAll())
    await Promise.all(answers)
    answers.push(...callAll())
    a.endpoint.trust({ secrets: [secret] })
    answers.push(...callAll())
    const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
    expect(statuses).toEqual(Array.from({ length: 100 }, () => 200))
    expect(a.endpoint.effects).toHaveLength(100)
  })

  describe('the order of the two', () => {
    let scene: Scene
    beforeEach(async () => {
      scene = await setScene(database())
    })

    // holds OUT-11
    test('starts with the old one if no call is on record', async () => {
      await keyring(scene).rotateSecret(60)
      await expectAllAnswered(scene)
      expect(scene.endpoint.refusals).toEqual([])
    })

    // holds OUT-10
    test('starts with the one that worked last, so a receiver refuses one call when it changes', async () => {
      const { secret } = await keyring(scene).rotateSecret(60)
      await expectAllAnswered(scene)
      scene.endpoint.trust({ secrets: [secret] })
      await expectAllAnswered(scene)
      await expectAllAnswered(scene)
      expect(scene.endpoint.refusals).toEqual(['signature_mismatch'])
    })

    // holds OUT-08
    test('repeats the same call, signed anew', async () => {
      const { secret } = await keyring(scene).rotateSecret(60)
      scene.endpoint.trust({ secrets: [secret] })
      expect((await scene.broker('echo')).statusCode).toBe(200)
      expect(scene.endpoint.refusals).toEqual(['signature_mismatch'])
      expect(scene.endpoint.effects).toHaveLength(1)
    })
  })

  describe('after the grace', () => {
    // holds KEY-21
    test('the old one signs no call', async () => {
      const scene = await setScene(database())
      const { secret } = await keyring(scene).rotateSecret(10)
      await expectAllAnswered(scene)
      scene.service.clock.advance(9_999)
      await expectAllAnswered(scene)
      scene.service.clock.advance(1)
      await expectRefusedOnce(scene)
      scene.endpoint.trust({ secrets: [secret] })
      await expectAllAnswered(scene)
      expect(scene.endpoint.refusals).toHaveLength(1)
    })

    test('of 0 seconds, the old one signs no call, on any replica', async () => {
      const { a, b } = await setReplicatedScene(engine)
      await expectAllAnswered(b)
      const { secret } = await keyring(a).rotateSecret(0)
      await expectRefusedOnce(b)
      await expectRefusedOnce(a)
      a.endpoint.trust({ secrets: [secret] })
      await expectAllAnswered(b)
      await expectAllAnswered(a)
      expect(a.endpoint.refusals).toHaveLength(2)
    })

    test('of 0 seconds, a running execution continues with the new one', async () => {
      const scene = await setScene(database())
      const run = await pauseBeforeCall(scene)
      const { secret } = await keyring(scene).rotateSecret(0)
      scene.endpoint.trust({ secrets: [secret] })
      expect(JSON.stringify(executed(await run.goOn()).messages)).not.toContain('"error"')
      expect(scene.endpoint.effects).toHaveLength(2)
    })
  })

  test.each(['after', 'before'])(
    'twice lets an execution continue that began %s the first time, at an endpoint with the newest alone',
    async (when) => {
      const scene = await setScene(database())
      const rotateFirst = () => keyring(scene).rotateSecret(60)
      if (when === 'after') await rotateFirst()
      const run = await pauseBeforeCall(scene)
      if (when === 'before') await rotateFirst()
      const { secret } = await keyring(scene).rotateSecret(60)
      scene.endpoint.trust({ secrets: [secret] })
      expect(JSON.stringify(executed(await run.goOn()).messages)).not.toContain('"error"')
      expect(scene.endpoint.effects).toHaveLength(2)
    },
  )

  test('twice ends the oldest at once', async () => {
    const scene = await setScene(database())
    const second = await keyring(scene).rotateSecret(604_800)
    const third = await keyring(scene).rotateSecret(60)
    expect((await scene.broker('echo')).statusCode).toBe(502)
    scene.endpoint.trust({ secrets: [second.secret] })
    await expectAllAnswered(scene)
    scene.endpoint.trust({ secrets: [third.secret] })
    await expectAllAnswered(scene)
  })

  test('fifty times concurrently leaves the secret of one answer, and that of another as the previous one', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const { runtimeId } = a.runtime
    const rotations = Array.from({ length: 50 }, (_, index) => keyring(index % 2 ? a : b).rotateSecret(60))
    const given = (await Promise.all(rotations)).map(({ secret }) => secret)
    expect(new Set(given).size).toBe(50)
    const row = await findRuntimeById(a.database.db, runtimeId)
    if (!row) throw new Error('the runtime is there')
    const { current, previous } = openSecrets(a.service.deps, row)
    expect(given).toContain(current.reveal())
    expect(given).toContain(previous?.secret.reveal())
    expect(current.reveal()).not.toBe(previous?.secret.reveal())
    for (const secret of [previous?.secret, current]) {
      a.endpoint.trust({ secrets: [secret?.reveal() ?? ''] })
      await expectAllAnswered(b)
    }
  })

  // holds KEY-24
  test('of another owner’s runtime is a 404, and changes nothing', async () => {
    const scene = await setScene(database())
    const otherOwner = await scene.service.owner()
    const ask = (id: string) =>
      scene.service.send('POST', `/v1/runtimes/${id}/rotate-secret`, {
        key: otherOwner.apiKey,
        body: { graceSeconds: 0 },
      })
    const [foreign, random] = [await ask(scene.runtime.runtimeId), await ask(`rt_${randomUUID()}`)]
    expect(refusalOf(foreign, 'not_found')).toBe('The runtime was not found.')
    expect([foreign.body, steadyHeaders(foreign)]).toEqual([random.body, steadyHeaders(random)])
    await expectAllAnswered(scene)
    expect(scene.endpoint.refusals).toEqual([])
  })
})

function secretsOf(holding: 'old' | 'new' | 'old and new', old: string, next: string): string[] {
  if (holding === 'old') return [old]
  return holding === 'new' ? [next] : [old, next]
}

/** One call through each of the four ways in, in turn, none of which may fail. */
async function expectAllAnswered({ service, execute, executeAsOwner, broker, call }: Scene): Promise<void> {
  expect((await broker('echo')).json()).toMatchObject({ output: {} })
  expect((await call({ capability: 'echo', input: { text: 'a' } })).json()).toMatchObject({ output: { text: 'a' } })
  for (const ask of [execute, executeAsOwner]) {
    service.model.say(calls(ECHO), text('done'))
    const { messages } = executed(await ask())
    expect(messages[1]).toMatchObject({ parts: [{ type: 'tool_result', output: { text: 'a' } }] })
  }
}

/** A call that the endpoint refuses, with one try and no more. */
async function expectRefusedOnce({ broker, endpoint }: Scene): Promise<void> {
  const before = endpoint.refusals.length
  expect((await broker('echo')).statusCode).toBe(502)
  expect(endpoint.refusals.slice(before)).toEqual(['signature_mismatch'])
}

/** An execution that was let in and stands right before it calls a capability twice. */
async function pauseBeforeCall({ service, execute }: Scene) {
  const [asked, released] = [deferred(), deferred()]
  service.model.say(
    async function* () {
      asked.resolve()
      await released.promise
      yield* calls(ECHO)
    },
    calls(ECHO),
    text('done'),
  )
  const answer = execute()
  await asked.promise
  return {
    goOn() {
      released.resolve()
      return answer
    },
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
