import { BillingUsage } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../../src/model/model.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate, type Gate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { type Scene, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

/** One unit of the free plan’s main bucket, and of its anonymous one. */
const UNIT_MS = 36_000

async function usageOf({ service, owner }: Pick<Scene, 'service' | 'owner'>): Promise<BillingUsage> {
  const answer = await service.send('GET', '/v1/billing/usage', { key: owner.apiKey })
  expect(answer.statusCode).toBe(200)
  return BillingUsage.parse(answer.json())
}

/** Lets time pass as it does for a server that is running. */
async function pass({ service }: Scene, ms: number): Promise<void> {
  service.clock.advance(ms)
  await service.renew()
}

function times<T>(count: number, ask: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, ask))
}

function admittedOf(answers: readonly LightMyRequestResponse[]): number {
  const statuses = answers.map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  return statuses.filter((status) => status === 200).length
}

/** The model answers once the gate lets it. */
function gated(gate: Gate) {
  return async function* (): AsyncGenerator<ModelEvent> {
    await gate.enter()
    yield* text('ok')
  }
}

describeEngines('the usage of an account', (engine) => {
  const database = useDatabase(engine)

  // holds BIL-04
  test('is zero in the current UTC hour without executions', async () => {
    const clock = createTestClock(Date.parse('2026-03-01T12:59:59.999Z'))
    const modelPrices = { inputPerMillion: 0.15, outputPerMillion: 0.6 }
    const scene = await setScene(database(), { clock, modelPrices })
    expect(await usageOf(scene)).toEqual({
      tier: 'free',
      periodStart: '2026-03-01T12:00:00.000Z',
      periodEnd: '2026-03-01T13:00:00.000Z',
      executions: { used: 0, available: 200, perHour: 100, burst: 200 },
      anonymous: { used: 0, available: 50, perHour: 25, burst: 50 },
      capabilityCalls: 0,
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      storedBytes: { used: expect.any(Number), limit: 200_000_000 },
      modelPrices,
      warnings: [],
    })
    clock.advance(1)
    expect(await usageOf(scene)).toMatchObject({
      periodStart: '2026-03-01T13:00:00.000Z',
      periodEnd: '2026-03-01T14:00:00.000Z',
    })
  })

  // holds BIL-03
  test('counts executions of every route, failed ones too, with calls and tokens, but no refused request', async () => {
    const scene = await setScene(database())
    const { service, broker, call, execute, executeAsOwner } = scene
    service.model.say(calls({ name: 'echo', input: { text: 'a' } }), text('done'))
    expect((await execute()).statusCode).toBe(200)
    expect((await executeAsOwner()).statusCode).toBe(200)
    expect((await call({ capability: 'echo', input: {} })).statusCode).toBe(200)
    expect((await broker('echo', { input: {} })).statusCode).toBe(200)
    scene.endpoint.script('echo', () => ({ error: { message: 'sold out' } }))
    expect((await broker('echo', { input: {} })).statusCode).toBe(502)
    for (const refused of [
      await broker('nothing', {}),
      await call({ capability: 'nothing' }),
      await execute({ messages: 'x' }),
      await executeAsOwner({ runtimeId: 'rt_of_nobody' }),
    ]) {
      expect([400, 404]).toContain(refused.statusCode)
    }
    const usage = await usageOf(scene)
    expect(usage.executions).toMatchObject({ used: 5, available: 195 })
    expect(usage.anonymous).toMatchObject({ used: 2, available: 48 })
    // One model call before the capability and one after it; the second execution only says that it is done.
    expect(usage).toMatchObject({ capabilityCalls: 4, inputTokens: 21, outputTokens: 9, totalTokens: 30 })
  })

  // holds BIL-03
  test('counts an execution from its admission on, and once only when it has ended', async () => {
    const scene = await setScene(database())
    const gate = createGate()
    scene.service.model.say(gated(gate))
    const running = times(7, () => scene.executeAsOwner())
    await gate.arrived(7)
    const during = await usageOf(scene)
    expect(during.executions).toMatchObject({ used: 7, available: 193 })
    expect(during.totalTokens).toBe(0)
    gate.open()
    expect(admittedOf(await running)).toBe(7)
    const after = await usageOf(scene)
    expect(after.executions).toMatchObject({ used: 7, available: 193 })
    expect(after.totalTokens).toBe(70)
  })

  test('is never off by one while executions end at the same time', async () => {
    const scene = await setScene(database())
    const gate = createGate()
    scene.service.model.say(gated(gate))
    const running = times(40, () => scene.executeAsOwner())
    await gate.arrived(40)
    const readings: number[] = []
    for (let index = 0; index < 40; index += 1) {
      gate.letOne()
      readings.push((await usageOf(scene)).executions.used)
    }
    gate.open()
    expect(admittedOf(await running)).toBe(40)
    expect(readings).toEqual(Array.from({ length: 40 }, () => 40))
  })

  // holds BIL-05
  test('says exactly how many executions would be admitted now', async () => {
    const scene = await setScene(database())
    expect(admittedOf(await times(190, () => scene.executeAsOwner()))).toBe(190)
    const first = await usageOf(scene)
    expect(first.executions).toMatchObject({ used: 190, available: 10 })
    expect(admittedOf(await times(30, () => scene.executeAsOwner()))).toBe(10)
    expect((await usageOf(scene)).executions).toMatchObject({ used: 200, available: 0 })
    await pass(scene, 5 * UNIT_MS - 1)
    expect((await usageOf(scene)).executions.available).toBe(4)
    expect(admittedOf(await times(9, () => scene.executeAsOwner()))).toBe(4)
    await pass(scene, 1)
    expect((await usageOf(scene)).executions).toMatchObject({ used: 204, available: 1 })
    expect(admittedOf(await times(3, () => scene.executeAsOwner()))).toBe(1)
  })

  // holds BIL-05
  test('says exactly how many anonymous executions would be admitted now, by their share and by the whole', async () => {
    const scene = await setScene(database())
    const ask = () => scene.broker('echo', { input: {} })
    expect(admittedOf(await times(45, ask))).toBe(45)
    expect(await usageOf(scene)).toMatchObject({
      executions: { used: 45, available: 155 },
      anonymous: { used: 45, available: 5 },
    })
    expect(admittedOf(await times(152, () => scene.executeAsOwner()))).toBe(152)
    expect((await usageOf(scene)).anonymous).toMatchObject({ used: 45, available: 3 })
    await pass(scene, 60_000)
    const { anonymous } = await usageOf(scene)
    expect(admittedOf(await times(20, ask))).toBe(anonymous.available)
  })

  // holds BIL-04
  test('starts at zero in a new hour; the available units do not', async () => {
    const scene = await setScene(database(), { clock: createTestClock(Date.parse('2026-03-01T12:59:59.000Z')) })
    expect(admittedOf(await times(20, () => scene.executeAsOwner()))).toBe(20)
    await pass(scene, 1_000)
    const next = await usageOf(scene)
    expect(next.executions).toMatchObject({ used: 0, available: 180 })
    expect(next.totalTokens).toBe(0)
    expect(admittedOf(await times(2, () => scene.executeAsOwner()))).toBe(2)
    expect((await usageOf(scene)).executions.used).toBe(2)
  })

  test('counts an execution in the hour of its start, even if it runs for hours', async () => {
    const scene = await setScene(database(), { clock: createTestClock(Date.parse('2026-03-01T12:59:50.000Z')) })
    const gate = createGate()
    scene.service.model.say(gated(gate))
    const running = scene.executeAsOwner()
    await gate.arrived(1)
    await pass(scene, 20_000)
    expect((await usageOf(scene)).executions.used).toBe(0)
    const { db } = database()
    const { ownerId } = scene.owner
    const row = await db.selectFrom('executions').select('status').where('owner_id', '=', ownerId).executeTakeFirst()
    expect(row).toEqual({ status: 'running' })
    gate.open()
    expect((await running).statusCode).toBe(200)
    expect((await usageOf(scene)).executions.used).toBe(0)
  })

  test('holds the account’s own executions alone', async () => {
    const scene = await setScene(database())
    const other = await setScene(database())
    expect(admittedOf(await times(3, () => other.executeAsOwner()))).toBe(3)
    expect((await usageOf(scene)).executions).toMatchObject({ used: 0, available: 200 })
    expect((await usageOf(other)).executions).toMatchObject({ used: 3, available: 197 })
  })

  test('is the same through every replica, and exact after 60 concurrent executions through both', async () => {
    const { a, b } = await setReplicatedScene(engine, { tier: 'pro' })
    const answers = await Promise.all([times(30, () => a.executeAsOwner()), times(30, () => b.executeAsOwner())])
    expect(admittedOf(answers.flat())).toBe(60)
    const expected = { executions: { used: 60, available: 47_940, perHour: 2_000, burst: 48_000 } }
    expect(await usageOf(a)).toMatchObject(expected)
    expect(await usageOf(b)).toMatchObject(expected)
  })

  // holds BIL-05
  test('has no available units on an unlimited plan', async () => {
    const scene = await setScene(database(), { tier: 'enterprise' })
    expect(admittedOf(await times(2, () => scene.executeAsOwner()))).toBe(2)
    expect(await usageOf(scene)).toMatchObject({
      tier: 'enterprise',
      executions: { used: 2, available: null, perHour: null, burst: null },
      anonymous: { used: 0, available: null, perHour: null, burst: null },
    })
  })
})
