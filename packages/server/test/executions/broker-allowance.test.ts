import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { type Scene, setScene } from '../support/scene.ts'

/** How many of these answers had each status. */
function statuses(answers: readonly LightMyRequestResponse[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

function times<T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
}

async function inRows<T>(rows: number, ask: () => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (let row = 0; row < rows; row += 1) all.push(...(await ask()))
  return all
}

function limitOf(answers: readonly LightMyRequestResponse[]): string {
  const refused = answers.find(({ statusCode }) => statusCode === 429)
  return refused ? refusalOf(refused, 'rate_limit_exceeded') : 'no refusal'
}

async function expectExactlyTheAllowance(replicas: readonly [Scene, Scene]): Promise<void> {
  const scene = (index: number) => replicas[index % 2] ?? replicas[0]
  const [{ endpoint, database, owner, usage }] = replicas
  const answers = await times(300, (index) => scene(index).broker('echo', { input: { text: String(index) } }))
  expect(statuses(answers)).toEqual({ 200: 50, 429: 250 })
  expect(endpoint.effects).toHaveLength(50)
  const owned = await times(250, (index) => scene(index).executeAsOwner())
  expect(statuses(owned)).toEqual({ 200: 150, 429: 100 })
  const rows = await database.db
    .selectFrom('executions')
    .select(['kind', 'status'])
    .where('owner_id', '=', owner.ownerId)
    .execute()
  expect(rows.filter(({ kind, status }) => kind === 'broker' && status === 'completed')).toHaveLength(50)
  expect(rows.filter(({ kind, status }) => kind === 'execute' && status === 'completed')).toHaveLength(150)
  expect(rows).toHaveLength(200)
  expect(await usage()).toMatchObject({ executions: 200, completed: 200, anonymous: 50 })
}

describeEngines('the quota of anonymous calls', (engine) => {
  const database = useDatabase(engine)

  // holds BRK-11, LIM-07
  test('of 300 concurrent calls on 50 units exactly 50 are admitted, and exactly 150 executions are left', async () => {
    const scene = await setScene(database())
    await expectExactlyTheAllowance([scene, scene])
  })

  // holds LIM-07
  test('the same through two replicas', async () => {
    const { a, b } = await setReplicatedScene(engine)
    await expectExactlyTheAllowance([a, b])
  })

  // holds BRK-11
  test('an anonymous call that finds the main bucket empty takes nothing from the anonymous bucket', async () => {
    const {
      service,
      executeAsOwner,
      broker,
      endpoint,
      database: { db },
      owner,
    } = await setScene(database())
    expect(statuses(await times(200, () => executeAsOwner()))).toEqual({ 200: 200 })
    const share = () =>
      db
        .selectFrom('allowances')
        .select('full_at')
        .where('owner_id', '=', owner.ownerId)
        .where('bucket', '=', 'anonymous')
        .execute()
    const before = await share()
    const refused = await times(20, () => broker('echo'))
    expect(statuses(refused)).toEqual({ 429: 20 })
    expect(limitOf(refused)).toContain('quota of this runtime’s plan')
    expect(await share()).toEqual(before)
    service.clock.advance(36_000)
    await service.renew()
    expect(statuses(await times(20, () => broker('echo')))).toEqual({ 200: 1, 429: 19 })
    expect(endpoint.effects).toHaveLength(1)
  })

  // holds LIM-09
  test('Retry-After is exact: a millisecond earlier no call is admitted, then exactly one is', async () => {
    const { service, broker } = await setScene(database())
    const answers = await times(60, () => broker('echo'))
    const refused = answers.find(({ statusCode }) => statusCode === 429)
    expect(limitOf(answers)).toContain('anonymous')
    expect(refused?.headers['retry-after']).toBe('144')
    service.clock.advance(143_999)
    await service.renew()
    const early = await times(5, () => broker('echo'))
    expect(statuses(early)).toEqual({ 429: 5 })
    expect(early[0]?.headers['retry-after']).toBe('1')
    service.clock.advance(1)
    expect(statuses(await times(5, () => broker('echo')))).toEqual({ 200: 1, 429: 4 })
  })

  test('refused calls are not recorded', async () => {
    const { broker, charged } = await setScene(database())
    await times(50, () => broker('echo'))
    const before = await charged()
    expect(statuses(await times(30, () => broker('echo')))).toEqual({ 429: 30 })
    expect(await charged()).toEqual(before)
  })

  // holds BRK-12
  test('the broker and the page have separate rate limits', async () => {
    const { broker, call } = await setScene(database(), { tier: 'pro' })
    const first = await broker('echo')
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '600',
      'ratelimit-remaining': '599',
      'ratelimit-reset': '1',
    })
    const answers = await inRows(13, () => times(50, () => broker('echo')))
    expect(statuses(answers)).toEqual({ 200: 599, 429: 51 })
    const refused = answers.find(({ statusCode }) => statusCode === 429)
    expect(limitOf(answers)).toContain('Too many requests')
    expect(refused?.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' })
    const page = await call({ capability: 'echo' })
    expect([page.statusCode, page.headers['ratelimit-remaining']]).toEqual([200, '599'])
  })

  // holds LIM-03
  test('the unlimited plan has no quota, and its own rate limit', async () => {
    const { broker } = await setScene(database(), { tier: 'enterprise' })
    const answers = await inRows(6, () => times(50, () => broker('echo')))
    expect(statuses(answers)).toEqual({ 200: 300 })
    expect(answers.at(-1)?.headers['ratelimit-limit']).toBe('6000')
  })
})
