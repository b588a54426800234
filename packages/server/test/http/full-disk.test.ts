import { expect, test } from 'vitest'
import { DatabaseError } from '../../src/store/errors.ts'
import { refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { executed, type Scene, setScene } from '../support/scene.ts'
import { capability, PASSWORD } from '../support/service.ts'

const MiB = 1024 * 1024

/** What would make the store grow. */
function growing({ service, owner, runtime, execute, broker, executeAsOwner }: Scene) {
  const { apiKey: key } = owner
  return {
    execute: () => execute(),
    broker: () => broker('echo', { input: {} }),
    owner: () => executeAsOwner(),
    deployment: () => service.deploy(runtime, { capabilities: [capability('echo')] }),
    runtime: () => service.send('POST', '/v1/runtimes', { key, body: { name: 'Another' } }),
    project: () => service.send('POST', '/v1/projects', { key, body: { name: 'Another' } }),
    key: () => service.send('POST', '/v1/account/keys', { key, body: { name: 'Another' } }),
    device: () => service.send('POST', '/v1/auth/device', { body: { machine: 'ada-laptop' } }),
    account: () =>
      service.send('POST', '/v1/auth/sign-up', { body: { email: 'new@example.com', password: 'a long password' } }),
  }
}

describeEngines('a nearly full disk', (engine) => {
  const database = useDatabase(engine)

  // holds LIM-14
  test('refuses requests that add data, and allows reading, signing in and settling', async () => {
    let free = 300 * MiB
    const scene = await setScene(database(), { tier: 'pro', freeBytes: async () => free })
    const { service, owner } = scene
    await service.deps.diskSpace.sample()
    executed(await scene.execute())
    free = 255 * MiB
    await service.deps.diskSpace.sample()
    for (const [name, ask] of Object.entries(growing(scene))) {
      const answer = await ask()
      expect([name, refusalOf(answer, 'rate_limit_exceeded')]).toEqual([name, expect.stringContaining('disk space')])
      expect(answer.headers['retry-after']).toBe('30')
    }
    const { apiKey: key, email } = owner
    expect((await service.send('GET', '/v1/executions', { key })).statusCode).toBe(200)
    const signIn = await service.send('POST', '/v1/auth/sign-in', { body: { email, password: PASSWORD } })
    expect(signIn.statusCode).toBe(200)
    free = 300 * MiB
    await service.deps.diskSpace.sample()
    executed(await scene.execute())
  })

  // holds LIM-14
  test('settles executions that were admitted earlier', async () => {
    let free = 300 * MiB
    const scene = await setScene(database(), {
      freeBytes: async () => free,
      handle: {
        echo: async ({ input }) => {
          free = 0
          await scene.service.deps.diskSpace.sample()
          return { output: input }
        },
      },
    })
    const answer = await scene.broker('echo', { input: { text: 'done' } })
    expect(answer.json()).toMatchObject({ output: { text: 'done' } })
    expect(await scene.trace(answer.json().executionId)).toMatchObject({ status: 'completed' })
    expect((await scene.broker('echo', { input: {} })).statusCode).toBe(429)
  })

  test('that the database reports has the same effect, except for one try every five seconds, until a write succeeds', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const { diskSpace } = scene.service.deps
    const ask = async () => (await scene.broker('echo', { input: {} })).statusCode
    const full = Object.assign(new DatabaseError({ code: '53100', message: 'could not extend file' }))
    diskSpace.noteFault(full)
    expect(await ask()).toBe(429)
    scene.service.clock.advance(5_000)
    expect(await ask()).toBe(200)
    expect(await ask()).toBe(200)
    diskSpace.noteFault(new DatabaseError({ code: 'SQLITE_BUSY', message: 'locked' }))
    expect(await ask()).toBe(200)
  })
})
