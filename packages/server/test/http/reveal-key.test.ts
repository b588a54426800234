import { randomUUID } from 'node:crypto'
import { abbreviateKey } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { keyring, statusesOf, WORKS } from '../support/keys.ts'
import { type Scene, setScene } from '../support/scene.ts'

const TYPES = ['deploy', 'public'] as const

describeEngines('revealing a key', (engine) => {
  const database = useDatabase(engine)

  function askToReveal({ service, owner, runtime }: Scene, type: string) {
    const url = `/v1/runtimes/${runtime.runtimeId}/reveal-key`
    return service.send('POST', url, { key: owner.apiKey, body: { type } })
  }

  // holds KEY-08, KEY-09
  test('shows it in full, with its display form, every time', async () => {
    const scene = await setScene(database())
    const { deployKey, publicKey } = scene.runtime
    for (const [type, key] of [
      ['deploy', deployKey],
      ['public', publicKey],
      ['deploy', deployKey],
    ] as const) {
      expect(await keyring(scene).reveal(type)).toEqual({ type, key, prefix: abbreviateKey(key) })
    }
  })

  describe.each(TYPES)('of type %s', (type) => {
    // holds KEY-11
    test('shows the new one after a rotation, and none after a revocation', async () => {
      const scene = await setScene(database())
      const { key, prefix } = await keyring(scene).rotate(type)
      expect(await keyring(scene).reveal(type)).toEqual({ type, key, prefix })
      await keyring(scene).revoke(type)
      expect(refusalOf(await askToReveal(scene, type), 'not_found')).toBe(
        `The ${type} key was revoked. Rotate it to get a new one.`,
      )
    })

    // holds KEY-10
    test('is impossible for a key that is stored as a hash, until it is rotated', async () => {
      const scene = await setScene(database())
      await database()
        .db.updateTable('credentials')
        .set({ sealed: null })
        .where('runtime_id', '=', scene.runtime.runtimeId)
        .execute()
      const refusal = refusalOf(await askToReveal(scene, type), 'not_found')
      expect(refusal).toContain('cannot be revealed')
      expect(refusal).toContain('must be rotated')
      const old = type === 'deploy' ? scene.runtime.deployKey : scene.runtime.publicKey
      expect(await statusesOf(scene, type, old)).toEqual(WORKS[type])
      const { key } = await keyring(scene).rotate(type)
      expect(await keyring(scene).reveal(type)).toMatchObject({ key })
      expect(await statusesOf(scene, type, old)).toEqual(WORKS[type])
    })
  })

  test('a ciphertext moved from another row does not open, and nothing of it is shown', async () => {
    const lines: string[] = []
    const scene = await setScene(database(), { log: (line) => lines.push(line) })
    const { db } = database()
    const { runtimeId, deployKey } = scene.runtime
    const rows = () => db.selectFrom('credentials').select('sealed').where('runtime_id', '=', runtimeId)
    const { sealed } = await rows().where('kind', '=', 'deploy').executeTakeFirstOrThrow()
    await db
      .updateTable('credentials')
      .set({ sealed })
      .where('runtime_id', '=', runtimeId)
      .where('kind', '=', 'public')
      .execute()
    const answer = await askToReveal(scene, 'public')
    refusalOf(answer, 'internal_error')
    expect(answer.body + lines.join('')).not.toContain(deployKey)
    expect(await keyring(scene).reveal('deploy')).toMatchObject({ key: deployKey })
  })

  // holds KEY-24
  test('another owner’s runtime is answered as one that does not exist', async () => {
    const scene = await setScene(database())
    const otherOwner = await scene.service.owner()
    const ask = (id: string, type: string) =>
      scene.service.send('POST', `/v1/runtimes/${id}/reveal-key`, { key: otherOwner.apiKey, body: { type } })
    for (const type of TYPES) {
      const [foreign, random] = [await ask(scene.runtime.runtimeId, type), await ask(`rt_${randomUUID()}`, type)]
      expect(refusalOf(foreign, 'not_found')).toBe('The runtime was not found.')
      expect([foreign.body, steadyHeaders(foreign)]).toEqual([random.body, steadyHeaders(random)])
    }
  })
})
