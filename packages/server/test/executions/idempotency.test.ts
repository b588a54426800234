import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { deleteExpiredIdempotencyKeys } from '../../src/executions/idempotency-store.ts'
import { createReconciler } from '../../src/executions/reconcile.ts'
import { faultsIn } from '../support/answers.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene, takeOver } from '../support/replicas.ts'
import { type Scene, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const KEY = 'order-2026-03-01'
const DAY_MS = 24 * 3_600_000

function calling({ service, runtime }: Scene, key: string = KEY) {
  const headers = { 'idempotency-key': key }
  return {
    broker: (body: object = {}) =>
      service.send('POST', `/v1/capabilities/${runtime.runtimeId}/echo`, { body, headers }),
    page: (body: object = {}) =>
      service.send('POST', '/v1/runtime/capability', {
        key: runtime.publicKey,
        body: { capability: 'echo', ...body },
        headers,
      }),
  }
}

const shown = ({ statusCode, body }: LightMyRequestResponse) => [statusCode, JSON.parse(body)]

describeEngines('an idempotency key', (engine) => {
  const database = useDatabase(engine)

  // holds EFF-06
  test.each(['broker', 'page'] as const)('of a %s call gives repeats the recorded answer, at no cost', async (kind) => {
    const scene = await setScene(database())
    const call = calling(scene)[kind]
    const first = await call({ input: { text: 'a' } })
    expect(first.statusCode).toBe(200)
    const charged = await scene.charged()
    scene.service.clock.advance(1_000)
    expect(shown(await call({ input: { text: 'a' } }))).toEqual(shown(first))
    expect(scene.endpoint.effects).toHaveLength(1)
    expect(await scene.charged()).toEqual(charged)
  })

  test('gives the failure of the capability again', async () => {
    const scene = await setScene(database(), { handle: { echo: () => ({ error: 'Out of stock.' }) } })
    const { broker, page } = calling(scene)
    const [first, other] = [await broker(), await page()]
    expect([first.statusCode, other.statusCode]).toEqual([502, 200])
    expect([shown(await broker()), shown(await page())]).toEqual([shown(first), shown(other)])
    expect(scene.endpoint.effects).toHaveLength(2)
  })

  test.each([
    { input: { text: 'b' } },
    { input: { text: 'a' }, metadata: { page: 1 } },
    { input: { text: 'a' }, endUserToken: 'the-token-of-somebody' },
  ])('with another body is refused: %j', async (body) => {
    const scene = await setScene(database())
    const { broker } = calling(scene)
    await broker({ input: { text: 'a' } })
    const charged = await scene.charged()
    expect(faultsIn(await broker(body))).toEqual({ 'idempotency-key': [expect.stringContaining('another body')] })
    expect(await scene.charged()).toEqual(charged)
  })

  test.each(['1234567', 'x'.repeat(129), 'with-ümlaut', ''])('%j is none, and names the field', async (key) => {
    const scene = await setScene(database())
    const before = await scene.charged()
    for (const call of Object.values(calling(scene, key))) {
      expect(faultsIn(await call())).toEqual({ 'idempotency-key': [expect.stringContaining('8 to 128')] })
    }
    expect(await scene.charged()).toEqual(before)
  })

  test('of a request that was refused is free', async () => {
    const scene = await setScene(database())
    const { broker } = calling(scene)
    expect((await broker({ input: 'no object' })).statusCode).toBe(400)
    const { endpoint, service, owner } = scene
    await database().db.deleteFrom('allowances').execute()
    const full = service.clock.now() + 1_000 * 3_600_000
    for (const bucket of ['executions', 'anonymous']) {
      await database().db.insertInto('allowances').values({ owner_id: owner.ownerId, bucket, full_at: full }).execute()
    }
    const refused = await Promise.all([broker(), broker(), broker()])
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([429, 429, 429])
    await database().db.deleteFrom('allowances').execute()
    expect((await broker()).statusCode).toBe(200)
    expect(endpoint.effects).toHaveLength(1)
  })

  test('holds for a day, and is swept then', async () => {
    const scene = await setScene(database())
    const { broker } = calling(scene)
    await broker()
    const { clock } = scene.service
    clock.advance(DAY_MS - 1)
    await scene.service.renew()
    await broker()
    expect(scene.endpoint.effects).toHaveLength(1)
    clock.advance(1)
    await broker()
    expect(scene.endpoint.effects).toHaveLength(2)
    const { ownerId } = scene.owner
    const keys = database().db.selectFrom('idempotency_keys').select('execution_id').where('owner_id', '=', ownerId)
    expect(await keys.execute()).toHaveLength(1)
    await deleteExpiredIdempotencyKeys(database().db, clock.now() + DAY_MS)
    expect(await keys.execute()).toEqual([])
  })

  test('is of one runtime and one route', async () => {
    const scene = await setScene(database())
    const { broker, page } = calling(scene)
    const [one, other] = [await broker(), await page()]
    expect(one.json().executionId).not.toBe(other.json().executionId)
    expect(scene.endpoint.effects).toHaveLength(2)
  })

  test('of an anonymous caller is refused where an account has 5,000 of them; one of a page is not', async () => {
    const scene = await setScene(database())
    const { db } = scene.database
    const now = scene.service.clock.now()
    const ofOwner = { owner_id: scene.owner.ownerId, body_hash: 'x', execution_id: 'exec_x', created_at: now }
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ ...ofOwner, key_hash: `${scene.owner.ownerId}-${at}` }))
    for (let at = 0; at < rows.length; at += 1_000) {
      await db
        .insertInto('idempotency_keys')
        .values(rows.slice(at, at + 1_000))
        .execute()
    }
    const { broker, page } = calling(scene)
    expect(shown(await broker())).toEqual([429, expect.objectContaining({ error: expect.anything() })])
    expect((await page()).statusCode).toBe(200)
  })

  // holds EFF-07
  test('takes effect once, of 200 calls at once on two servers, and all get its answer', async () => {
    const gate = createGate()
    const { a, b } = await setReplicatedScene(engine, {
      tier: 'enterprise',
      handle: {
        async echo({ callId }) {
          await gate.enter()
          return { output: callId }
        },
      },
    })
    const answers = Promise.all(Array.from({ length: 200 }, (_, index) => calling(index % 2 ? a : b).page()))
    await gate.arrived(1)
    gate.open()
    const distinct = new Set((await answers).map((answer) => JSON.stringify(shown(answer))))
    expect([...distinct]).toEqual([expect.stringContaining('[200,')])
    expect(a.endpoint.effects).toHaveLength(1)
    expect((await a.charged()).executions).toBe(1)
  })

  test('gives nothing to a public key that another server has revoked', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const body = { input: { text: 'a' } }
    expect((await calling(b).page(body)).statusCode).toBe(200)
    const url = `/v1/runtimes/${a.runtime.runtimeId}/revoke-key`
    const revoked = await a.service.send('POST', url, { key: a.owner.apiKey, body: { type: 'public' } })
    expect([revoked.statusCode, (await calling(b).page(body)).statusCode]).toEqual([200, 401])
  })

  test('of a call whose node is gone tells that its outcome is unknown, and does not run it again', async () => {
    const gate = createGate()
    const { a, b } = await setReplicatedScene(engine, {
      manifest: { capabilities: [capability('echo')], reconcile: true },
      handle: {
        async echo({ mode }) {
          if (mode === 'reconcile') return { output: { status: 'completed', output: 'late' } }
          await gate.enter()
          return { output: 'late' }
        },
      },
    })
    const first = calling(a).broker()
    await gate.arrived(1)
    await takeOver(b.service)
    const repeated = await calling(b).broker()
    expect(repeated.statusCode).toBe(502)
    expect(repeated.json()).toMatchObject({
      error: { message: expect.stringContaining('unknown') },
      outcome: 'unknown',
    })
    b.service.clock.advance(5_000)
    const reconciler = createReconciler(b.service.deps)
    await reconciler.begin()
    await reconciler.idle()
    const { capabilityCalls } = await b.trace(repeated.json().executionId)
    expect(capabilityCalls).toMatchObject([{ status: 'unknown', reconciled: { status: 'completed' } }])
    expect(shown(await calling(b).broker())).toMatchObject([200, { output: 'late' }])
    gate.open()
    await first
    expect(a.endpoint.effects.map(({ mode }) => mode)).toEqual([undefined, 'reconcile'])
  })
})
