import { randomUUID } from 'node:crypto'
import { abbreviateKey, RotatedKey, RuntimeDetail, type RuntimeKeyType } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import { createTestClock } from '../support/clock.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { keyring, REFUSED, statusesOf, WORKS } from '../support/keys.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables, type Scene, setScene } from '../support/scene.ts'
import { startForTest } from '../support/service.ts'

const TYPES = ['deploy', 'public'] as const
const DAY_MS = 86_400_000

describeEngines('rotating a key', (engine) => {
  const database = useDatabase(engine)

  describe.each(TYPES)('of type %s', (type) => {
    // holds KEY-12, KEY-13, KEY-22
    test('creates a new one, and keeps the old one valid to the last millisecond of the grace', async () => {
      const scene = await setScene(database(), { tier: 'pro' })
      const old = keyOf(scene, type)
      const { clock } = scene.service
      const rotated = await keyring(scene).rotate(type, 20)
      const { key } = rotated
      expect(rotated).toEqual({
        type,
        key,
        prefix: abbreviateKey(key),
        previousKeyExpiresAt: iso(clock.now() + 20_000),
      })
      expect(key).not.toBe(old)
      clock.advance(19_999)
      expect(await statusesOf(scene, type, old)).toEqual(WORKS[type])
      clock.advance(1)
      expect(await statusesOf(scene, type, old)).toEqual(REFUSED[type])
      expect(await statusesOf(scene, type, key)).toEqual(WORKS[type])
    })

    // holds KEY-13
    test('grants 24 hours by default, and 7 days at most', async () => {
      const scene = await setScene(database())
      const now = scene.service.clock.now()
      expect(await keyring(scene).rotate(type)).toMatchObject({ previousKeyExpiresAt: iso(now + DAY_MS) })
      expect(await keyring(scene).rotate(type, 604_800)).toMatchObject({ previousKeyExpiresAt: iso(now + 7 * DAY_MS) })
      const before = await keyring(scene).reveal(type)
      for (const graceSeconds of [-1, 0.5, 604_801, 1e300]) {
        const url = `/v1/runtimes/${scene.runtime.runtimeId}/rotate-key`
        const answer = await scene.service.send('POST', url, { key: scene.owner.apiKey, body: { type, graceSeconds } })
        const { graceSeconds: faults, ...others } = faultsIn(answer)
        expect([faults?.[0], others]).toEqual([expect.stringContaining('from 0 to 604800'), {}])
      }
      expect(await keyring(scene).reveal(type)).toEqual(before)
    })

    // holds KEY-14
    test('with a grace of 0 ends the old one at once', async () => {
      const scene = await setScene(database())
      expect(await statusesOf(scene, type, keyOf(scene, type))).toEqual(WORKS[type])
      const rotated = await keyring(scene).rotate(type, 0)
      expect(rotated.previousKeyExpiresAt).toBe(iso(scene.service.clock.now()))
      expect(await statusesOf(scene, type, keyOf(scene, type))).toEqual(REFUSED[type])
      expect(await statusesOf(scene, type, rotated.key)).toEqual(WORKS[type])
    })

    // holds KEY-15
    test('twice ends the oldest at once, even within its grace', async () => {
      const scene = await setScene(database(), { tier: 'pro' })
      const second = await keyring(scene).rotate(type, 604_800)
      const third = await keyring(scene).rotate(type, 60)
      expect(await statusesOf(scene, type, keyOf(scene, type))).toEqual(REFUSED[type])
      expect(await statusesOf(scene, type, second.key)).toEqual(WORKS[type])
      expect(await statusesOf(scene, type, third.key)).toEqual(WORKS[type])
    })

    test('leaves the other key unchanged', async () => {
      const scene = await setScene(database())
      const other = type === 'deploy' ? 'public' : 'deploy'
      await keyring(scene).rotate(other, 60)
      const before = await keyring(scene).reveal(other)
      await keyring(scene).rotate(type, 0)
      expect(await statusesOf(scene, other, before.key)).toEqual(WORKS[other])
      expect(await keyring(scene).reveal(other)).toEqual(before)
      expect(await statusesOf(scene, other, keyOf(scene, other))).toEqual(WORKS[other])
    })

    test('is shown in the runtime’s detail, without the old one', async () => {
      const scene = await setScene(database())
      const { prefix } = await keyring(scene).rotate(type)
      expect(await prefixesOf(scene)).toEqual({
        deploy: abbreviateKey(scene.runtime.deployKey),
        public: abbreviateKey(scene.runtime.publicKey),
        [type]: prefix,
      })
    })

    // holds KEY-17
    test('after a revocation creates one, with nothing left to expire', async () => {
      const scene = await setScene(database())
      await keyring(scene).revoke(type)
      const rotated = await keyring(scene).rotate(type)
      expect(rotated.previousKeyExpiresAt).toBeNull()
      expect(await statusesOf(scene, type, rotated.key)).toEqual(WORKS[type])
      expect(await statusesOf(scene, type, keyOf(scene, type))).toEqual(REFUSED[type])
      expect(await prefixesOf(scene)).toMatchObject({ [type]: rotated.prefix })
    })

    // holds KEY-16
    test('fifty times at once leaves one current key and one previous one', async () => {
      const { a, b } = await setReplicatedScene(engine, { tier: 'enterprise' })
      const { runtimeId } = a.runtime
      const rotations = Array.from({ length: 50 }, (_, index) => keyring(index % 2 ? a : b).rotate(type, 60))
      const keys = [keyOf(a, type), ...(await Promise.all(rotations)).map(({ key }) => key)]
      expect(new Set(keys).size).toBe(51)
      const answers = await Promise.all(keys.map(async (key) => ({ key, statuses: await statusesOf(b, type, key) })))
      const working = answers.filter(({ statuses }) => String(statuses) === String(WORKS[type])).map(({ key }) => key)
      expect(working).toHaveLength(2)
      expect(answers.filter(({ statuses }) => String(statuses) === String(REFUSED[type]))).toHaveLength(49)
      expect(working).toContain((await keyring(a).reveal(type)).key)
      const rows = await a.database.db
        .selectFrom('credentials')
        .select(['expires_at', 'revoked_at'])
        .where('runtime_id', '=', runtimeId)
        .where('kind', '=', type)
        .where('revoked_at', 'is', null)
        .execute()
      expect(rows.map((row) => row.expires_at === null).sort()).toEqual([false, true])
    })

    // holds KEY-16
    test('and revoking it concurrently never leaves two current keys or a revoked one that works', async () => {
      const { a, b } = await setReplicatedScene(engine, { tier: 'enterprise' })
      const rotations = Array.from({ length: 12 }, () => keyring(a).rotate(type, 60))
      const revocations = Array.from({ length: 12 }, () => keyring(b).revoke(type))
      const [rotated] = await Promise.all([Promise.all(rotations), Promise.all(revocations)])
      await keyring(b).revoke(type)
      for (const key of [keyOf(a, type), ...rotated.map(({ key }) => key)]) {
        expect(await statusesOf(a, type, key)).toEqual(REFUSED[type])
      }
      expect(await prefixesOf(a)).toMatchObject({ [type]: null })
    })
  })

  test('takes effect on another replica from the next request on, at its start and its end', async () => {
    const { a, b } = await setReplicatedScene(engine, { tier: 'pro' })
    const old = a.runtime.publicKey
    expect(await statusesOf(b, 'public', old)).toEqual(WORKS.public)
    const { key } = await keyring(a).rotate('public', 10)
    expect(await statusesOf(b, 'public', old)).toEqual(WORKS.public)
    expect(await statusesOf(b, 'public', key)).toEqual(WORKS.public)
    b.service.clock.advance(10_000)
    expect(await statusesOf(b, 'public', old)).toEqual(REFUSED.public)
    await keyring(a).rotate('public', 0)
    expect(await statusesOf(b, 'public', key)).toEqual(REFUSED.public)
  })

  test('with a grace of 0 ends the old one even on a replica whose clock is behind', async () => {
    const scene = await setScene(database())
    const behind = createTestClock(scene.service.clock.now() - 60_000)
    const { masterKey } = scene.service
    const replica = await startForTest(database(), { masterKey, clock: behind })
    await keyring(scene).rotate('deploy', 0)
    const answer = await replica.send('GET', '/v1/runtime/status', { key: scene.runtime.deployKey })
    refusalOf(answer, 'unauthorized')
  })

  test('shows the end of the old one’s grace in the detail, until then', async () => {
    const scene = await setScene(database())
    const { clock } = scene.service
    const ends = async () => {
      const answer = await scene.service.send('GET', `/v1/runtimes/${scene.runtime.runtimeId}`, {
        key: scene.owner.apiKey,
      })
      const detail = RuntimeDetail.parse(answer.json())
      return [detail.previousDeployKeyExpiresAt, detail.previousPublicKeyExpiresAt, detail.previousSecretExpiresAt]
    }
    expect(await ends()).toEqual([null, null, null])
    const [hour, day] = [iso(clock.now() + 3_600_000), iso(clock.now() + 86_400_000)]
    await keyring(scene).rotate('deploy', 3_600)
    await keyring(scene).rotateSecret()
    expect(await ends()).toEqual([hour, null, day])
    await keyring(scene).rotate('public', 0)
    clock.advance(3_599_999)
    expect(await ends()).toEqual([hour, null, day])
    clock.advance(1)
    expect(await ends()).toEqual([null, null, day])
    clock.advance(82_800_000)
    expect(await ends()).toEqual([null, null, null])
  })

  test('leaves no key in the database or in the log', async () => {
    const lines: string[] = []
    const scene = await setScene(database(), { log: (line) => lines.push(line) })
    const deploy = await keyring(scene).rotate('deploy')
    const shown = await keyring(scene).rotate('public')
    await keyring(scene).reveal('public')
    const { secret } = await keyring(scene).rotateSecret()
    expect(lines.join('\n')).toContain('rotate-key')
    const kept = `${await dumpTables(database())}\n${lines.join('\n')}`
    for (const value of [deploy.key, shown.key, secret]) expect(kept).not.toContain(value)
  })

  // holds KEY-24
  test('of another owner’s runtime answers 404, and changes nothing', async () => {
    const scene = await setScene(database())
    const otherOwner = await scene.service.owner()
    const ask = (id: string) =>
      scene.service.send('POST', `/v1/runtimes/${id}/rotate-key`, {
        key: otherOwner.apiKey,
        body: { type: 'public', graceSeconds: 0 },
      })
    const [foreign, random] = [await ask(scene.runtime.runtimeId), await ask(`rt_${randomUUID()}`)]
    expect(refusalOf(foreign, 'not_found')).toBe('The runtime was not found.')
    expect([foreign.body, steadyHeaders(foreign)]).toEqual([random.body, steadyHeaders(random)])
    expect(await statusesOf(scene, 'public', scene.runtime.publicKey)).toEqual(WORKS.public)
    expect(RotatedKey.safeParse(foreign.json()).success).toBe(false)
  })
})

function keyOf({ runtime }: Scene, type: RuntimeKeyType): string {
  return type === 'deploy' ? runtime.deployKey : runtime.publicKey
}

async function prefixesOf({ service, owner, runtime }: Scene) {
  const answer = await service.send('GET', `/v1/runtimes/${runtime.runtimeId}`, { key: owner.apiKey })
  const { deployKeyPrefix, publicKeyPrefix } = RuntimeDetail.parse(answer.json())
  return { deploy: deployKeyPrefix, public: publicKeyPrefix }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
