import {
  AccountEventList,
  CreatedWebhook,
  type WebhookDelivery,
  WebhookDeliveryList,
  type WebhookEvent,
} from '@svc/contract'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { inTransaction } from '../../src/store/transaction.ts'
import { createDeliveries } from '../../src/webhooks/deliver.ts'
import { addEvents } from '../../src/webhooks/outbox-store.ts'
import { alertQuotas } from '../../src/webhooks/quota-alerts.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { type Scene, type SceneOptions, setScene } from '../support/scene.ts'
import { capability, type TestService } from '../support/service.ts'
import { type ReceivedMessage, startReceiver } from '../support/webhook-receiver.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const ALL: WebhookEvent[] = [
  ...(['quota.threshold', 'endpoint.unreachable', 'endpoint.recovered', 'deployment.promoted'] as const),
  ...(['call.unknown', 'key.revealed', 'key.rotated'] as const),
]

async function listen({ service, owner }: Scene, url: string, events = ALL): Promise<CreatedWebhook> {
  const answer = await service.send('POST', '/v1/webhooks', { key: owner.apiKey, body: { url, events } })
  expect(answer.statusCode).toBe(201)
  return CreatedWebhook.parse(answer.json())
}

async function deliverDue({ deps }: Pick<TestService, 'deps'>, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const deliveries = createDeliveries(deps)
    await deliveries.begin()
    await deliveries.idle()
  }
}

async function deliveriesOf({ service, owner }: Scene, webhookId: string): Promise<WebhookDelivery[]> {
  const answer = await service.send('GET', `/v1/webhooks/${webhookId}/deliveries?limit=100`, { key: owner.apiKey })
  return WebhookDeliveryList.parse(answer.json()).deliveries
}

function reveal({ service, owner, runtime }: Scene) {
  return service.send('POST', `/v1/runtimes/${runtime.runtimeId}/reveal-key`, {
    key: owner.apiKey,
    body: { type: 'public' },
  })
}

const told = (received: readonly ReceivedMessage[]) => received.map(({ payload }) => [payload.type, payload.data])

describeEngines('the events of an account', (engine) => {
  const database = useDatabase(engine)

  // holds HOOK-11
  test('are listed without a webhook, newest first, page by page, and the latest 200 are kept', async () => {
    const scene = await setScene(database())
    const { deps } = scene.service
    const { ownerId } = scene.owner
    const event = (at: number) => ({ ownerId, runtimeId: null, type: 'key.rotated', data: { at }, at }) as const
    const many = Array.from({ length: 220 }, (_, at) => event(at))
    await inTransaction(deps.db, (tx) => addEvents(tx, () => deps.newId('delivery'), many))
    await inTransaction(deps.db, (tx) => addEvents(tx, () => deps.newId('delivery'), [event(220)]))
    const page = async (query: string) => {
      const answer = await scene.service.send('GET', `/v1/events${query}`, { key: scene.owner.apiKey })
      return AccountEventList.parse(answer.json())
    }
    const first = await page('?limit=150')
    const second = await page(`?limit=150&cursor=${first.nextCursor}`)
    const told = [...first.events, ...second.events].map(({ data }) => data['at'])
    expect(told).toEqual(Array.from({ length: 200 }, (_, at) => 220 - at))
    expect(second.nextCursor).toBeNull()
  })

  test('are not replaced by calls and promotions, of which the latest 50 each are kept', async () => {
    const scene = await setScene(database(), { manifest: null })
    const { deps } = scene.service
    const { ownerId } = scene.owner
    const types = ['key.rotated', ...Array(220).fill('call.unknown'), ...Array(220).fill('deployment.promoted')]
    const many = types.map((type, at) => ({ ownerId, runtimeId: null, type, data: { at }, at }))
    for (const some of [many.slice(0, 150), many.slice(150, 300), many.slice(300)])
      await inTransaction(deps.db, (tx) => addEvents(tx, () => deps.newId('delivery'), some))
    const answer = await scene.service.send('GET', '/v1/events?limit=150', { key: scene.owner.apiKey })
    const told = AccountEventList.parse(answer.json()).events.map(({ data }) => data['at'])
    expect(told).toEqual([...Array.from({ length: 100 }, (_, at) => (at < 50 ? 440 - at : 270 - at)), 0])
  })
})

describeEngines('a webhook', (engine) => {
  const database = useDatabase(engine)

  // holds HOOK-01
  test('gets what happens to a runtime’s keys and deployments, signed as Standard Webhooks asks', async () => {
    const scene = await setScene(database())
    const { service, owner, runtime, endpoint } = scene
    const { runtimeId } = runtime
    const receiver = await startReceiver()
    const { secret, webhookId } = await listen(scene, receiver.url)
    await service.deploy(runtime, { capabilities: [capability('echo')], endpoint: endpoint.url })
    await reveal(scene)
    const post = (path: string, body: object) =>
      service.send('POST', `/v1/runtimes/${runtimeId}/${path}`, { key: owner.apiKey, body })
    const { prefix } = (await post('rotate-key', { type: 'deploy' })).json()
    await post('rotate-secret', {})
    await deliverDue(service, 4)
    expect(told(receiver.received)).toEqual([
      ['deployment.promoted', { runtimeId, version: 2, replacedVersion: 1 }],
      ['key.revealed', { runtimeId, keyType: 'public', prefix: expect.stringMatching(/^svc_pk_/) }],
      ['key.rotated', { runtimeId, keyType: 'deploy', prefix }],
      ['key.rotated', { runtimeId, keyType: 'signing-secret', prefix: null }],
    ])
    const [first] = receiver.received
    expect(first?.payload.timestamp).toBe(new Date(service.clock.now()).toISOString())
    const verifier = new StandardWebhook(secret)
    for (const { headers, body } of receiver.received) {
      const signed = headers as Record<string, string>
      const inTime = { ...signed, 'webhook-timestamp': String(Math.trunc(Date.now() / 1000)) }
      // The package reads the machine’s clock; the service’s stands still in tests.
      expect(() => verifier.verify(body, inTime)).toThrow('No matching signature found')
      const at = new Date(1000 * Number(signed['webhook-timestamp']))
      expect(signed['webhook-signature']).toBe(verifier.sign(String(signed['webhook-id']), at, body))
    }
    const listed = await deliveriesOf(scene, webhookId)
    expect(listed.map(({ deliveryId }) => deliveryId).reverse()).toEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
    )
    expect(listed.map(({ status, attempts }) => [status, attempts])).toEqual(Array(4).fill(['delivered', 1]))
  })

  // holds HOOK-02
  test('gets only what it listens to, and nothing of another account', async () => {
    const scene = await setScene(database())
    const receiver = await startReceiver()
    await listen(scene, receiver.url, ['key.revealed'])
    const other = await setScene(database())
    await reveal(other)
    await scene.service.deploy(scene.runtime, { capabilities: [] })
    await reveal(scene)
    await deliverDue(scene.service, 3)
    expect(told(receiver.received)).toMatchObject([['key.revealed', { runtimeId: scene.runtime.runtimeId }]])
  })

  // holds HOOK-03
  test('that is down gets all of it later, in order, each under one id', async () => {
    const scene = await setScene(database())
    let isDown = true
    const receiver = await startReceiver(() => (isDown ? 503 : 200))
    const { webhookId } = await listen(scene, receiver.url, ['deployment.promoted'])
    const { service, runtime } = scene
    await service.deploy(runtime, { capabilities: [] })
    await service.deploy(runtime, { capabilities: [capability('echo')] })
    const pauses = [0, SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 300 * SECOND_MS, HOUR_MS / 2, HOUR_MS / 2]
    for (const [index, pause] of pauses.entries()) {
      service.clock.advance(pause - 1)
      await deliverDue(service)
      expect(receiver.received).toHaveLength(index)
      service.clock.advance(1)
      await deliverDue(service)
      expect(receiver.received).toHaveLength(index + 1)
    }
    expect(await deliveriesOf(scene, webhookId)).toMatchObject([
      { status: 'waiting', attempts: 0, nextAttemptAt: null },
      { status: 'waiting', attempts: 7, lastError: 'The receiver answered with status 503.' },
    ])
    isDown = false
    await service.renew()
    service.clock.advance(HOUR_MS / 2)
    await deliverDue(service, 3)
    const versions = receiver.received.map(({ payload }) => payload.data['version'])
    expect(versions).toEqual([...Array(8).fill(2), 3])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(new Set(receiver.received.slice(0, 8).map(({ body }) => body)).size).toBe(1)
  })

  // holds HOOK-09
  test('that is down for a day is given up on, event by event, and gets one again on demand', async () => {
    const scene = await setScene(database())
    let status = 302
    const receiver = await startReceiver(() => status)
    const { webhookId } = await listen(scene, receiver.url, ['key.revealed'])
    await reveal(scene)
    await deliverDue(scene.service)
    scene.service.clock.advance(24 * HOUR_MS)
    await deliverDue(scene.service, 2)
    const [delivery] = await deliveriesOf(scene, webhookId)
    expect(delivery).toMatchObject({ status: 'failed', attempts: 2, nextAttemptAt: null, endedAt: expect.any(String) })
    expect(receiver.received).toHaveLength(2)
    status = 200
    const again = `/v1/webhooks/${webhookId}/deliveries/${delivery?.deliveryId}/redeliver`
    const answer = await scene.service.send('POST', again, { key: scene.owner.apiKey })
    expect(answer.json()).toMatchObject({ status: 'waiting', attempts: 0 })
    await deliverDue(scene.service)
    expect(await deliveriesOf(scene, webhookId)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([delivery?.deliveryId]),
    )
  })

  // holds HOOK-04
  test('gets a try again whose node died in the middle of it', async () => {
    const scene = await setScene(database())
    const receiver = await startReceiver(() => (receiver.received.length === 1 ? null : 204))
    await listen(scene, receiver.url, ['key.revealed'])
    await reveal(scene)
    const dying = createDeliveries(scene.service.deps)
    await dying.begin()
    await expect.poll(() => receiver.received.length).toBe(1)
    await deliverDue(scene.service)
    expect(receiver.received).toHaveLength(1)
    scene.service.clock.advance(30 * SECOND_MS)
    await deliverDue(scene.service)
    expect(receiver.received).toHaveLength(2)
    await dying.stop()
    scene.service.clock.advance(HOUR_MS)
    await deliverDue(scene.service)
    expect(receiver.received).toHaveLength(2)
  })

  test('gets each event once, of many at once on two replicas', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const receiver = await startReceiver()
    await listen(a, receiver.url, ['key.revealed'])
    await Promise.all(Array.from({ length: 20 }, (_, index) => reveal(index % 2 === 0 ? a : b)))
    for (let turn = 0; turn < 20; turn += 1) await Promise.all([deliverDue(a.service), deliverDue(b.service)])
    expect(receiver.received).toHaveLength(20)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(20)
  })

  // holds HOOK-05
  test('that never answers delays nobody else’s', async () => {
    const slow = await setScene(database())
    // Another one of this service's accounts: its secret opens under the same master key.
    const quick = await setScene(database(), { masterKey: slow.service.masterKey, clock: slow.service.clock })
    const [hanging, receiver] = [await startReceiver(() => null), await startReceiver()]
    for (let hook = 0; hook < 5; hook += 1) await listen(slow, hanging.url, ['key.revealed'])
    await listen(quick, receiver.url, ['key.revealed'])
    for (let time = 0; time < 10; time += 1) await reveal(slow)
    await reveal(quick)
    const deliveries = createDeliveries(slow.service.deps)
    await deliveries.begin()
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(hanging.received.length).toBeLessThanOrEqual(5)
    await deliveries.stop()
  })

  test.each([
    ['a private address', 'https://10.0.0.1/hook', 'The receiver could not be reached.'],
    ['a name of the metadata service', 'https://169.254.169.254/', 'The receiver could not be reached.'],
  ])('at %s is never reached', async (_, url, lastError) => {
    const scene = await setScene(database())
    const { webhookId } = await listen(scene, url, ['key.revealed'])
    await reveal(scene)
    await deliverDue(scene.service)
    expect(await deliveriesOf(scene, webhookId)).toMatchObject([{ status: 'waiting', attempts: 1, lastError }])
  })

  // holds HOOK-06
  test('is told of calls whose outcome is unknown', async () => {
    const cut: SceneOptions['handle'] = { echo: () => ({ fault: 'cut', at: 'before-head', how: 'reset' }) }
    const scene = await setScene(database(), { handle: cut })
    const receiver = await startReceiver()
    await listen(scene, receiver.url, ['call.unknown'])
    const { executionId } = (await scene.broker('echo')).json()
    await scene.service.deps.aggregation.catchUp()
    await deliverDue(scene.service, 2)
    const { runtimeId } = scene.runtime
    const [call] = (await scene.trace(executionId)).capabilityCalls
    expect(told(receiver.received)).toEqual([
      ['call.unknown', { runtimeId, executionId, callId: call?.callId, capability: 'echo' }],
    ])
  })

  test('is told once that an endpoint cannot be reached, and once that it answers again', async () => {
    let isDown = true
    const scene = await setScene(database(), {
      handle: { echo: () => (isDown ? { fault: 'cut', at: 'before-head', how: 'reset' } : { output: {} }) },
    })
    const receiver = await startReceiver()
    await listen(scene, receiver.url, ['endpoint.unreachable', 'endpoint.recovered'])
    const since = () => scene.database.db.selectFrom('runtimes').select('unreachable_since').execute()
    for (let call = 0; call < 4; call += 1) await scene.broker('echo')
    await expect.poll(since).toContainEqual({ unreachable_since: scene.service.clock.now() })
    isDown = false
    scene.service.clock.advance(61 * SECOND_MS)
    await scene.service.renew()
    for (let call = 0; call < 3; call += 1) await scene.broker('echo')
    const { runtimeId } = scene.runtime
    await expect
      .poll(async () => {
        await deliverDue(scene.service, 2)
        return told(receiver.received)
      })
      .toEqual([
        ['endpoint.unreachable', { runtimeId }],
        ['endpoint.recovered', { runtimeId, unreachableForMs: 61 * SECOND_MS }],
      ])
  })

  // holds HOOK-07
  test('is told when half, four fifths and all of a quota’s burst are in use, each once', async () => {
    const scene = await setScene(database())
    const { owner, service } = scene
    const receiver = await startReceiver()
    await listen(scene, receiver.url, ['quota.threshold'])
    const { db, clock } = service.deps
    const { full_at: window } = await db
      .selectFrom('allowances')
      .select('full_at')
      .where((eb) => eb.and({ owner_id: owner.ownerId, bucket: 'executions' }))
      .executeTakeFirstOrThrow()
    expect(window).toBeLessThanOrEqual(clock.now())
    const { burst, unitMs } = (await import('../../src/usage/quota-rules.ts')).QUOTAS.free.draws.execute[0]?.rate ?? {
      burst: 0,
      unitMs: 0,
    }
    const use = async (share: number) => {
      const full_at = clock.now() + Math.round(burst * share) * unitMs
      await db
        .updateTable('allowances')
        .set({ full_at })
        .where((eb) => eb.and({ owner_id: owner.ownerId, bucket: 'executions' }))
        .execute()
      await Promise.all([alertQuotas(service.deps), alertQuotas(service.deps)])
      await deliverDue(service, 2)
      return told(receiver.received.splice(0)).map(([, data]) => data)
    }
    const at = (percent: number) => [{ runtimeId: null, quota: 'executions', percent }]
    expect(await use(0.49)).toEqual([])
    expect(await use(0.5)).toEqual(at(50))
    expect(await use(0.45)).toEqual([])
    expect(await use(0.55)).toEqual([])
    expect(await use(1)).toEqual(at(100))
    expect(await use(0.95)).toEqual([])
    expect(await use(0.3)).toEqual([])
    expect(await use(0.85)).toEqual(at(80))
  })

  // holds HOOK-08
  test('is deleted with what waits for it', async () => {
    const scene = await setScene(database())
    const { service, owner } = scene
    const receiver = await startReceiver()
    const { webhookId, secret, ...shown } = await listen(scene, receiver.url, ['key.revealed'])
    await reveal(scene)
    const path = `/v1/webhooks/${webhookId}`
    expect((await service.send('GET', '/v1/webhooks', { key: owner.apiKey })).json()).toEqual({
      webhooks: [{ webhookId, ...shown }],
    })
    expect((await service.send('GET', path, { key: owner.apiKey })).body).not.toContain(secret)
    expect((await service.send('DELETE', path, { key: owner.apiKey })).json()).toEqual({ webhookId, ...shown })
    await deliverDue(service)
    expect(receiver.received).toEqual([])
    for (const [method, url] of [
      ['GET', path],
      ['DELETE', path],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/deliveries/msg_x/redeliver`],
    ] as const) {
      expect((await service.send(method, url, { key: owner.apiKey })).statusCode).toBe(404)
    }
  })
})

describeEngines('what a webhook may be', (engine) => {
  const database = useDatabase(engine)

  test.each([
    [{ url: 'http://shop.example.com/', events: ['key.revealed'] }, 'url'],
    [{ url: 'https://svc.test/v1/x', events: ['key.revealed'] }, 'url'],
    [{ url: 'https://shop.example.com/', events: [] }, 'events'],
    [{ url: 'https://shop.example.com/', events: ['key.revealed', 'key.revealed'] }, 'events'],
    [{ url: 'https://shop.example.com/', events: ['deployment.melted'] }, 'events.0'],
    [{ url: 'https://shop.example.com/', events: ['key.revealed'], secret: 'mine' }, 'secret'],
  ])('%j is refused', async (body, field) => {
    const { service, owner } = await setScene(database(), { manifest: null })
    const answer = await service.send('POST', '/v1/webhooks', { key: owner.apiKey, body })
    expect([answer.statusCode, Object.keys(answer.json().error.details.fieldErrors)]).toEqual([400, [field]])
  })

  // holds HOOK-10
  test('five of an account, of many that are created at once', async () => {
    const { service, owner } = await setScene(database(), { manifest: null })
    const body = { url: 'https://shop.example.com/', events: ['key.revealed'] }
    const create = () => service.send('POST', '/v1/webhooks', { key: owner.apiKey, body })
    const answers = await Promise.all(Array.from({ length: 12 }, create))
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(5)
    expect(answers.filter(({ statusCode }) => statusCode === 403)).toHaveLength(7)
  })

  // holds HOOK-10
  test('5,000 events wait for one; further ones are left out, and of ended ones it keeps the newest', async () => {
    const scene = await setScene(database())
    const { db } = scene.database
    const receiver = await startReceiver()
    const { webhookId } = await listen(scene, receiver.url, ['key.revealed'])
    await reveal(scene)
    const [first] = await db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', webhookId).execute()
    if (!first) throw new Error('the event is not there')
    const { id: _, ...row } = first
    const copies = (count: number, changes: object) =>
      Array.from({ length: count }, (_, index) => ({
        ...row,
        delivery_id: `msg_${count}-${index}`,
        due_at: null,
        ...changes,
      }))
    const insert = async (rows: ReturnType<typeof copies>) => {
      for (let at = 0; at < rows.length; at += 1_000) {
        await db
          .insertInto('webhook_deliveries')
          .values(rows.slice(at, at + 1_000))
          .execute()
      }
    }
    await insert(copies(1_300, { status: 'delivered', ended_at: row.created_at }))
    await insert(copies(4_999, {}))
    await reveal(scene)
    const count = (status: 'waiting' | 'delivered') =>
      db
        .selectFrom('webhook_deliveries')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where((eb) => eb.and({ webhook_id: webhookId, status }))
        .executeTakeFirstOrThrow()
    expect(await count('waiting')).toEqual({ count: 5_000 })
    await deliverDue(scene.service, 101)
    expect(receiver.received).toHaveLength(101)
    expect((await count('delivered')).count).toBeLessThanOrEqual(1_100)
  })
})
