import { randomUUID } from 'node:crypto'
import { RuntimeDetail } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { keyring, REFUSED, statusesOf, WORKS } from '../support/keys.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { setScene } from '../support/scene.ts'

const TYPES = ['deploy', 'public'] as const

describeEngines('revoking a key', (engine) => {
  const database = useDatabase(engine)

  describe.each(TYPES)('of type %s', (type) => {
    // holds KEY-19
    test('ends the current and the previous one at once, on a replica that has both in its cache', async () => {
      const { a, b } = await setReplicatedScene(engine, { tier: 'pro' })
      const previous = (await keyring(a).reveal(type)).key
      const current = (await keyring(a).rotate(type)).key
      for (const key of [previous, current]) expect(await statusesOf(b, type, key)).toEqual(WORKS[type])
      const { revokedAt } = await keyring(a).revoke(type)
      expect(revokedAt).toBe(new Date(a.service.clock.now()).toISOString())
      const before = await a.charged()
      for (const key of [previous, current]) {
        expect(await statusesOf(b, type, key)).toEqual(REFUSED[type])
        expect(await statusesOf(a, type, key)).toEqual(REFUSED[type])
      }
      expect(await a.charged()).toEqual(before)
    })

    // holds KEY-18
    test('creates no replacement, and leaves other keys working', async () => {
      const scene = await setScene(database())
      const { service, owner, runtime, broker, executeAsOwner } = scene
      await keyring(scene).revoke(type)
      const answer = await service.send('GET', `/v1/runtimes/${runtime.runtimeId}`, { key: owner.apiKey })
      const { deployKeyPrefix, publicKeyPrefix } = RuntimeDetail.parse(answer.json())
      const prefixes = { deploy: deployKeyPrefix, public: publicKeyPrefix }
      const other = type === 'deploy' ? 'public' : 'deploy'
      expect(prefixes).toEqual({ [type]: null, [other]: (await keyring(scene).reveal(other)).prefix })
      expect(await statusesOf(scene, other, (await keyring(scene).reveal(other)).key)).toEqual(WORKS[other])
      expect([(await broker('echo')).statusCode, (await executeAsOwner()).statusCode]).toEqual([200, 200])
    })

    // holds KEY-18
    test('again changes nothing and answers the same', async () => {
      const scene = await setScene(database())
      const first = await keyring(scene).revoke(type)
      scene.service.clock.advance(5_000)
      expect(await keyring(scene).revoke(type)).toEqual(first)
    })
  })

  test('is reported to a holder of the key before faults of the body', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const key = a.runtime.publicKey
    expect(await statusesOf(b, 'public', key)).toEqual(WORKS.public)
    await keyring(a).revoke('public')
    for (const url of ['/v1/runtime/execute', '/v1/runtime/capability']) {
      refusalOf(await b.service.send('POST', url, { key, body: {} }), 'unauthorized')
      refusalOf(await b.service.send('POST', url, { key, headers: { 'content-type': 'text/plain' } }), 'unauthorized')
    }
  })

  // holds KEY-24
  test('of another owner’s runtime answers 404, and changes nothing', async () => {
    const scene = await setScene(database())
    const otherOwner = await scene.service.owner()
    const ask = (id: string) =>
      scene.service.send('POST', `/v1/runtimes/${id}/revoke-key`, { key: otherOwner.apiKey, body: { type: 'deploy' } })
    const [foreign, random] = [await ask(scene.runtime.runtimeId), await ask(`rt_${randomUUID()}`)]
    expect(refusalOf(foreign, 'not_found')).toBe('The runtime was not found.')
    expect([foreign.body, steadyHeaders(foreign)]).toEqual([random.body, steadyHeaders(random)])
    expect(await statusesOf(scene, 'deploy', scene.runtime.deployKey)).toEqual(WORKS.deploy)
  })
})
