import { randomUUID } from 'node:crypto'
import { abbreviateKey, CreatedRuntime, keyKindOf, RuntimeDetail, UpdatedRuntime } from '@svc/contract'
import { expect, test } from 'vitest'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

const UPDATED_FIELDS = ['runtimeId', 'projectId', 'tier', 'deployKeyPrefix', 'publicKeyPrefix']

describeEngines('registration', (engine) => {
  const database = useDatabase(engine)

  const start = () => startForTest(database())

  const newId = () => `rt_${randomUUID()}`

  // holds PRJ-02, REG-01, REG-02, RT-02, RT-07, RT-12, RT-13, SVC-04
  test('a name is enough: the service creates an id, a project, two keys and a secret', async () => {
    const service = await start()
    const owner = await service.owner('pro')
    const answer = await register(service, owner, { name: 'Shop' })
    expect(answer.statusCode).toBe(201)
    const sent: unknown = answer.json()
    const runtime = CreatedRuntime.parse(sent)
    expect(sent).toEqual(runtime)
    expect(runtime.runtimeId).toMatch(/^rt_[1-9A-HJ-NP-Za-km-z]{20}$/)
    expect(runtime.projectId).toMatch(/^proj_[0-9A-Z]{26}$/)
    expect(runtime.tier).toBe('pro')
    expect([keyKindOf(runtime.deployKey), keyKindOf(runtime.publicKey)]).toEqual(['deploy', 'public'])
    expect(runtime.deployKeyPrefix).toBe(abbreviateKey(runtime.deployKey))
    expect(runtime.publicKeyPrefix).toBe(abbreviateKey(runtime.publicKey))
    expect(Buffer.from(runtime.secret, 'base64url')).toHaveLength(32)
    expect(runtime.secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(await detail(service, owner, runtime.runtimeId)).toMatchObject({
      name: 'Shop',
      version: '1.0.0',
      endpoint: null,
    })
  })

  // holds RT-12
  test('no two runtimes share a key or a secret', async () => {
    const service = await start()
    const owner = await service.owner('pro')
    const runtimes = await Promise.all(Array.from({ length: 5 }, () => service.runtime(owner)))
    const secrets = runtimes.flatMap(({ deployKey, publicKey, secret }) => [deployKey, publicKey, secret])
    expect(new Set(secrets).size).toBe(15)
  })

  // holds REG-03, RT-03
  test('registering again updates: 200, the same runtime, and neither keys nor secret', async () => {
    const service = await start()
    const owner = await service.owner()
    const runtimeId = newId()
    const first = CreatedRuntime.parse((await register(service, owner, { runtimeId, name: 'Old' })).json())
    service.clock.advance(1_000)
    const answer = await register(service, owner, {
      runtimeId,
      name: 'New',
      version: '2.0.0',
      endpoint: 'https://a.example/svc',
    })
    expect(answer.statusCode).toBe(200)
    expect(UpdatedRuntime.parse(answer.json())).toMatchObject({ runtimeId, projectId: first.projectId, tier: 'free' })
    expect(Object.keys(answer.json()).sort()).toEqual([...UPDATED_FIELDS].sort())
    expect(answer.json()).toMatchObject({
      deployKeyPrefix: first.deployKeyPrefix,
      publicKeyPrefix: first.publicKeyPrefix,
    })
    for (const secret of [first.deployKey, first.publicKey, first.secret]) expect(answer.body).not.toContain(secret)
    const seen = await detail(service, owner, runtimeId)
    expect(seen).toMatchObject({ name: 'New', version: '2.0.0', endpoint: 'https://a.example/svc' })
    expect(Date.parse(seen.updatedAt) - Date.parse(seen.createdAt)).toBe(1_000)
    const status = await service.send('GET', '/v1/runtime/status', { key: first.deployKey })
    expect(status.statusCode).toBe(200)
  })

  // holds REG-04
  test('fields that a second registration leaves out are unchanged', async () => {
    const service = await start()
    const owner = await service.owner()
    const runtimeId = newId()
    await register(service, owner, { runtimeId, name: 'Shop', version: '1.2.3', endpoint: 'https://a.example/svc' })
    const before = await detail(service, owner, runtimeId)
    await register(service, owner, { runtimeId, name: 'Shop' })
    expect(await detail(service, owner, runtimeId)).toEqual(before)
  })

  // holds REG-08
  test('of concurrent registrations of one new id, one creates it and the others update it, also at the plan’s limit', async () => {
    const service = await start()
    const owner = await service.owner('free')
    const runtimeId = newId()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => register(service, owner, { runtimeId, name: 'Shop' })),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([...Array(19).fill(200), 201])
    const prefixes = answers.map((answer) => UpdatedRuntime.parse(answer.json()).deployKeyPrefix)
    expect(new Set(prefixes).size).toBe(1)
    expect((await detail(service, owner, runtimeId)).deployKeyPrefix).toBe(prefixes[0])
  })

  // holds REG-09, REG-10
  test.each([
    ['free', 1],
    ['pro', 10],
  ] as const)('50 concurrent registrations under the %s plan create exactly %d', async (tier, ceiling) => {
    const service = await start()
    const owner = await service.owner(tier)
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(service, owner, { name: 'Shop' })))
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(ceiling)
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 201)) {
      expect(refusalOf(answer, 'forbidden')).toContain(`The ${tier} plan allows ${ceiling} runtime`)
    }
    expect((await service.send('GET', '/v1/runtimes?limit=200', { key: owner.apiKey })).json().runtimes).toHaveLength(
      ceiling,
    )
  })

  // holds REG-07, REG-08
  test('at the plan’s limit an existing runtime can be registered again, and other owners are not affected', async () => {
    const service = await start()
    const owner = await service.owner('free')
    const { runtimeId } = await service.runtime(owner)
    refusalOf(await register(service, owner, { name: 'Second' }), 'forbidden')
    expect((await register(service, owner, { runtimeId, name: 'First' })).statusCode).toBe(200)
    expect((await register(service, await service.owner('free'), { name: 'Elsewhere' })).statusCode).toBe(201)
  })

  // holds REG-09
  test('an enterprise account has no limit of runtimes', async () => {
    const service = await start()
    const owner = await service.owner('enterprise')
    const answers = await Promise.all(Array.from({ length: 30 }, () => register(service, owner, { name: 'Shop' })))
    expect(answers.every(({ statusCode }) => statusCode === 201)).toBe(true)
  })

  // holds RT-04
  test('an id of another owner is a 404, and that runtime is not changed', async () => {
    const service = await start()
    const holder = await service.owner()
    const { runtimeId } = await service.runtime(holder, { runtimeId: newId() })
    const before = await detail(service, holder, runtimeId)
    const otherOwner = await service.owner('free')
    service.clock.advance(1_000)
    const answer = await register(service, otherOwner, {
      runtimeId,
      name: 'Mine now',
      endpoint: 'https://evil.example/svc',
    })
    const random = await service.send('GET', `/v1/runtimes/${newId()}`, { key: otherOwner.apiKey })
    refusalOf(answer, 'not_found')
    expect([answer.body, steadyHeaders(answer)]).toEqual([random.body, steadyHeaders(random)])
    expect(await detail(service, holder, runtimeId)).toEqual(before)
    expect((await register(service, otherOwner, { name: 'Shop' })).statusCode).toBe(201)
  })

  test('of two owners who register one new id concurrently, one gets it and the other a 404', async () => {
    const service = await start()
    const owners = await Promise.all(Array.from({ length: 10 }, () => service.owner()))
    const runtimeId = newId()
    const answers = await Promise.all(owners.map((owner) => register(service, owner, { runtimeId, name: 'Shop' })))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(9).fill(404)])
  })

  // holds REG-05, RT-07, SVC-01
  test.each(['provider', 'model', 'tier'])('“%s” is refused with the reason why, new or not', async (field) => {
    const service = await start()
    const owner = await service.owner('pro')
    const { runtimeId } = await service.runtime(owner)
    for (const body of [{ name: 'Shop' }, { name: 'Shop', runtimeId }]) {
      for (const value of ['pro', null, '', 'enterprise', { name: 'x' }]) {
        const faults = faultsIn(await register(service, owner, { ...body, [field]: value }))
        expect(faults).toEqual({ [field]: [expect.stringMatching(/^is not accepted: .+ Remove it\.$/)] })
      }
    }
    expect(await detail(service, owner, runtimeId)).toMatchObject({ tier: 'pro', name: 'Shop' })
  })

  // holds REG-12
  test('a runtime goes to the default project, which concurrent first registrations create once', async () => {
    const service = await start()
    const owner = await service.owner('pro')
    const runtimes = await Promise.all(Array.from({ length: 10 }, () => service.runtime(owner)))
    expect(new Set(runtimes.map(({ projectId }) => projectId)).size).toBe(1)
  })

  // holds PRJ-08, RT-06
  test('the caller’s own project is accepted; another owner’s or an unknown one reads as absent', async () => {
    const service = await start()
    const [owner, other] = [await service.owner('pro'), await service.owner('pro')]
    const [{ projectId }, foreign] = [await service.runtime(owner), await service.runtime(other)]
    expect((await register(service, owner, { name: 'Second', projectId })).json()).toMatchObject({ projectId })
    const [first, ...others] = await Promise.all(
      [foreign.projectId, 'proj_00000000000000000000000000', '', 'x'].map((id) =>
        register(service, owner, { name: 'Shop', projectId: id }),
      ),
    )
    expect(first && refusalOf(first, 'not_found')).toBe('The project was not found.')
    for (const answer of others) expect(answer.body).toBe(first?.body)
    const { runtimeId } = await service.runtime(owner)
    refusalOf(await register(service, owner, { runtimeId, name: 'Moved', projectId: foreign.projectId }), 'not_found')
    expect(await detail(service, owner, runtimeId)).toMatchObject({ name: 'Shop', projectId })
  })
})

function register(service: TestService, owner: TestOwner, body: Record<string, unknown>) {
  return service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })
}

async function detail(service: TestService, owner: TestOwner, runtimeId: string): Promise<RuntimeDetail> {
  return RuntimeDetail.parse((await service.send('GET', `/v1/runtimes/${runtimeId}`, { key: owner.apiKey })).json())
}
