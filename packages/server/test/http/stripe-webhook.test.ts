import { expect, test } from 'vitest'
import { updateTier } from '../../src/accounts/store.ts'
import { stripePayments } from '../../src/billing/payments/stripe-payments.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import {
  checkOut,
  type Delivery,
  deliver,
  planChanges,
  type StripeScene,
  sessionOf,
  setStripeScene,
  startStripe,
  tierOf,
  verify,
} from '../support/checkouts.ts'
import { createTestClock } from '../support/clock.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { startForTest } from '../support/service.ts'

const TOLERANCE_MS = 300_000

/** A checkout that was paid at Stripe and of which the service has not heard yet. */
async function paidCheckout(scene: StripeScene) {
  const checkout = await checkOut(scene.service, scene.owner)
  const session = sessionOf(scene.stripe, checkout)
  return { checkout, session, event: scene.stripe.pay(session) }
}

function times<T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
}

describeEngines('Stripe’s webhook', (engine) => {
  const database = useDatabase(engine)

  // holds BIL-08, BIL-10
  test('a payment that Stripe reports gives the plan without a call of verify', async () => {
    const scene = await setStripeScene(database())
    const { checkout, event } = await paidCheckout(scene)
    expect(await tierOf(scene.service, scene.owner)).toBe('free')
    const answer = await deliver(scene, event)
    expect([answer.statusCode, answer.json()]).toEqual([200, { received: true }])
    expect(await tierOf(scene.service, scene.owner)).toBe('pro')
    const asked = scene.stripe.requests.length
    expect(await verify(scene.service, scene.owner, checkout.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
    expect(scene.stripe.requests).toHaveLength(asked)
  })

  // holds LIM-10
  test('a body of more than 256 KiB is refused', async () => {
    const scene = await setStripeScene(database())
    const { event } = await paidCheckout(scene)
    const deliverPadded = (bytes: number) => {
      const body = JSON.stringify(event).padEnd(bytes)
      const signature = scene.stripe.sign(body, { at: scene.service.clock.now() })
      return deliver(scene, event, { body, headers: { 'stripe-signature': signature } })
    }
    expect(faultsIn(await deliverPadded(262_145))).toEqual({ body: [expect.stringContaining(' 262144 bytes')] })
    expect((await deliverPadded(262_144)).statusCode).toBe(200)
  })

  // holds BIL-10
  test('a message without Stripe’s valid and recent signature is refused and changes nothing', async () => {
    const scene = await setStripeScene(database())
    const { event } = await paidCheckout(scene)
    const now = scene.service.clock.now()
    const text = JSON.stringify(event, null, 2)
    const deliveries: Record<string, Delivery> = {
      'signed with another secret': { secret: 'whsec_another' },
      'signed with the API key': { secret: scene.stripe.secretKey },
      'signed five minutes and a second ago': { at: now - TOLERANCE_MS - 1_000 },
      'signed in 1970': { at: 0 },
      'one character changed': { body: text.replace('"paid"', '"Paid"') },
      'one blank added': { body: `${text} ` },
      'the same JSON in another form': { body: JSON.stringify(event) },
      'no body': { body: '' },
      'no signature': { headers: { 'stripe-signature': '' } },
      'a signature of no form': { headers: { 'stripe-signature': 'hello' } },
      'no time': { headers: { 'stripe-signature': scene.stripe.sign(text, { at: now }).replace(/^t=\d+,/, '') } },
      'a time that is none': {
        headers: { 'stripe-signature': scene.stripe.sign(text, { at: now }).replace(/^t=\d+/, 't=NaN') },
      },
      'another time than was signed': {
        headers: {
          'stripe-signature': scene.stripe.sign(text, { at: now - 60_000 }).replace(/^t=\d+/, `t=${now / 1000}`),
        },
      },
      'an empty signature': { headers: { 'stripe-signature': `t=${Math.floor(now / 1000)},v1=` } },
      'another scheme': { headers: { 'stripe-signature': scene.stripe.sign(text, { at: now }).replace('v1=', 'v0=') } },
    }
    for (const [name, delivery] of Object.entries(deliveries)) {
      const answer = await deliver(scene, event, delivery)
      expect([name, faultsIn(answer)]).toEqual([
        name,
        { 'stripe-signature': ['does not sign this body, or not within the last five minutes.'] },
      ])
    }
    expect(await tierOf(scene.service, scene.owner)).toBe('free')
  })

  // holds BIL-10
  test('a signature is valid for five minutes', async () => {
    const scene = await setStripeScene(database())
    const { event } = await paidCheckout(scene)
    const answer = await deliver(scene, event, { at: scene.service.clock.now() - TOLERANCE_MS })
    expect(answer.statusCode).toBe(200)
    expect(await tierOf(scene.service, scene.owner)).toBe('pro')
  })

  test('a signed message that is no JSON or no event is no internal error', async () => {
    const scene = await setStripeScene(database())
    const at = scene.service.clock.now()
    const post = (body: string) => {
      const headers = { 'content-type': 'application/json', 'stripe-signature': scene.stripe.sign(body, { at }) }
      return scene.service.inject({ method: 'POST', url: '/v1/billing/webhook', payload: body, headers })
    }
    expect((await post('{')).statusCode).toBe(400)
    for (const body of ['null', '[]', '7', '{}', '{"type":7}', '{"type":"","data":null}']) {
      expect([body, (await post(body)).statusCode]).toEqual([body, 200])
    }
  })

  test('an event of a foreign kind, session or subscription is accepted and changes nothing', async () => {
    const scene = await setStripeScene(database())
    const { event, session } = await paidCheckout(scene)
    await deliver(scene, event)
    const elsewhere = await setStripeScene(database())
    const { session: foreign } = await paidCheckout(elsewhere)
    const ended = elsewhere.stripe.endSubscription(foreign)
    const foreignEvents = [
      { ...event, type: 'invoice.payment_failed' },
      { ...event, type: 'customer.subscription.updated' },
      { ...event, type: 'checkout.session' },
      { ...event, data: { object: { id: 'cs_of_another_shop', payment_status: 'paid', subscription: 'sub_x' } } },
      { ...ended, data: { object: { id: 'sub_of_another_shop', metadata: {} } } },
      { ...ended, data: { object: { id: 'sub_of_another_shop' } } },
      { ...ended, data: { object: { id: 'sub_x', metadata: { checkoutId: 'chk_of_nobody' } } } },
      { ...ended, data: { object: { id: 'sub_x', metadata: scene.stripe.sessions.get(session)?.metadata } } },
    ]
    for (const event of foreignEvents) expect((await deliver(scene, event)).statusCode).toBe(200)
    expect(await tierOf(scene.service, scene.owner)).toBe('pro')
    expect(await tierOf(elsewhere.service, elsewhere.owner)).toBe('free')
  })

  test('an own event of unknown form is not acknowledged, so that Stripe sends it again', async () => {
    const lines: string[] = []
    const scene = await setStripeScene(database(), { log: (line) => lines.push(line) })
    const { event } = await paidCheckout(scene)
    const answer = await deliver(scene, { ...event, data: { object: { id: 7 } } })
    refusalOf(answer, 'internal_error')
    expect(lines.join('')).toContain('Stripe sent an event in a form that is not known')
    expect((await deliver(scene, event)).statusCode).toBe(200)
    expect(await tierOf(scene.service, scene.owner)).toBe('pro')
  })

  test('a repeated event changes nothing, even after the subscription has ended', async () => {
    const scene = await setStripeScene(database())
    const { runtimeId } = await scene.service.runtime(scene.owner)
    const { checkout, session, event } = await paidCheckout(scene)
    for (const answer of await times(5, () => deliver(scene, event))) expect(answer.statusCode).toBe(200)
    expect(await planChanges(scene.service, runtimeId)).toBe(1)
    const ended = scene.stripe.endSubscription(session)
    const endedAt = scene.service.clock.now()
    for (const answer of await times(5, () => deliver(scene, ended))) expect(answer.statusCode).toBe(200)
    scene.service.clock.advance(1_000)
    expect((await deliver(scene, ended)).statusCode).toBe(200)
    const row = await database()
      .db.selectFrom('checkouts')
      .select(['status', 'ended_at'])
      .where('checkout_id', '=', checkout.checkoutId)
      .executeTakeFirst()
    expect(row).toEqual({ status: 'ended', ended_at: endedAt })
    expect(await tierOf(scene.service, scene.owner)).toBe('free')
    expect((await deliver(scene, event)).statusCode).toBe(200)
    expect(await tierOf(scene.service, scene.owner)).toBe('free')
    expect(await planChanges(scene.service, runtimeId)).toBe(2)
  })

  test('the end of a subscription that arrives before its beginning takes effect', async () => {
    const scene = await setStripeScene(database())
    const { checkout, session, event } = await paidCheckout(scene)
    expect((await deliver(scene, scene.stripe.endSubscription(session))).statusCode).toBe(200)
    expect((await deliver(scene, event)).statusCode).toBe(200)
    expect(await tierOf(scene.service, scene.owner)).toBe('free')
    const { status, tier } = await verify(scene.service, scene.owner, checkout.checkoutId)
    expect({ status, tier }).toEqual({ status: 'paid', tier: 'free' })
  })

  test('a late expiry does not revoke a payment', async () => {
    const scene = await setStripeScene(database())
    const { checkout, session, event } = await paidCheckout(scene)
    await deliver(scene, event)
    const expired = { ...event, type: 'checkout.session.expired', data: { object: scene.stripe.sessions.get(session) } }
    expect((await deliver(scene, expired)).statusCode).toBe(200)
    expect(await tierOf(scene.service, scene.owner)).toBe('pro')
    expect((await verify(scene.service, scene.owner, checkout.checkoutId)).status).toBe('paid')
  })

  test('a payment of a replaced checkout counts, since Stripe has the money', async () => {
    const scene = await setStripeScene(database())
    const { checkout, event } = await paidCheckout(scene)
    await database()
      .db.updateTable('checkouts')
      .set({ status: 'expired' })
      .where('checkout_id', '=', checkout.checkoutId)
      .execute()
    await deliver(scene, event)
    expect(await tierOf(scene.service, scene.owner)).toBe('pro')
  })

  test('a pending payment gives no plan until the money arrives', async () => {
    const scene = await setStripeScene(database())
    const session = sessionOf(scene.stripe, await checkOut(scene.service, scene.owner))
    await deliver(scene, scene.stripe.complete(session))
    expect(await tierOf(scene.service, scene.owner)).toBe('free')
    await deliver(scene, scene.stripe.receive(session))
    expect(await tierOf(scene.service, scene.owner)).toBe('pro')
  })

  test('a failed payment, or its time limit, ends the checkout', async () => {
    const scene = await setStripeScene(database())
    const bounced = await checkOut(scene.service, scene.owner)
    const session = sessionOf(scene.stripe, bounced)
    await deliver(scene, scene.stripe.complete(session))
    await deliver(scene, scene.stripe.failPayment(session))
    expect((await verify(scene.service, scene.owner, bounced.checkoutId)).status).toBe('expired')
    const late = await checkOut(scene.service, scene.owner)
    await deliver(scene, scene.stripe.expire(sessionOf(scene.stripe, late)))
    expect((await verify(scene.service, scene.owner, late.checkoutId)).status).toBe('expired')
    expect(await tierOf(scene.service, scene.owner)).toBe('free')
  })

  // holds BIL-12
  test('the end of the subscription ends the plan at once, on every route', async () => {
    const scene = await setStripeScene(database())
    const { service, owner } = scene
    const { session, event } = await paidCheckout(scene)
    await deliver(scene, event)
    const { runtimeId } = await service.runtime(owner)
    const body = { runtimeId, messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }] }
    const spend = () => service.send('POST', '/v1/executions', { key: owner.apiKey, body })
    const spent = await times(300, spend)
    expect(spent.filter(({ statusCode }) => statusCode === 200)).toHaveLength(300)
    await deliver(scene, scene.stripe.endSubscription(session))
    expect(await tierOf(service, owner)).toBe('free')
    expect((await spend()).statusCode).toBe(200)
    const second = await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { name: 'Second' } })
    refusalOf(second, 'forbidden')
  })

  // holds BIL-12
  test('a plan that an operator gave does not end with a subscription', async () => {
    for (const tiers of [['enterprise'], ['free', 'pro']] as const) {
      const scene = await setStripeScene(database())
      const { email } = scene.owner
      const { session, event } = await paidCheckout(scene)
      await deliver(scene, event)
      for (const tier of tiers) await updateTier(scene.service.deps.db, email, tier, scene.service.clock.now())
      await deliver(scene, scene.stripe.endSubscription(session))
      expect(await tierOf(scene.service, scene.owner)).toBe(tiers.at(-1))
    }
  })

  test('with two paid subscriptions the plan ends with the last', async () => {
    const scene = await setStripeScene(database())
    const { service, stripe, owner } = scene
    const first = await paidCheckout(scene)
    await deliver(scene, first.event)
    // As when both pages were paid in the same moment: the second one was begun while the account was free.
    await updateTier(service.deps.db, owner.email, 'free', service.clock.now())
    const second = await paidCheckout(scene)
    await deliver(scene, second.event)
    const secondEnd = stripe.endSubscription(second.session)
    await deliver(scene, secondEnd)
    expect(await tierOf(service, owner)).toBe('pro')
    await deliver(scene, stripe.endSubscription(first.session))
    expect(await tierOf(service, owner)).toBe('free')
  })

  test('30 deliveries and 30 verifications at once through two replicas give the plan once', async () => {
    const clock = createTestClock()
    const { stripe, payments } = await startStripe(clock)
    const { a, b } = await setReplicatedScene(engine, { clock, payments, manifest: null })
    const checkout = await checkOut(a.service, a.owner)
    const before = await planChanges(a.service, a.runtime.runtimeId)
    const event = stripe.pay(sessionOf(stripe, checkout))
    const [delivered, verified] = await Promise.all([
      times(30, (index) => deliver({ service: index % 2 ? a.service : b.service, stripe }, event)),
      times(30, (index) => verify(index % 2 ? a.service : b.service, a.owner, checkout.checkoutId)),
    ])
    expect(delivered.map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200))
    const { checkoutId } = checkout
    expect(verified).toEqual(Array(30).fill({ checkoutId, status: 'paid', tier: 'pro' }))
    expect(await planChanges(a.service, a.runtime.runtimeId)).toBe(before + 1)
  })

  test('the route does not exist without Stripe', async () => {
    const clock = createTestClock()
    const { stripe } = await startStripe(clock)
    const mute = stripePayments(
      { secretKey: new Secret('sk_test_x'), webhookSecret: null, apiUrl: stripe.url },
      { clock },
    )
    for (const options of [{}, { payments: mute }]) {
      const service = await startForTest(database(), { ...options, clock })
      const event = { id: 'evt_1', object: 'event', type: 'checkout.session.completed', data: { object: {} } } as const
      const answer = await deliver({ service, stripe }, event)
      const absent = await service.inject({ method: 'POST', url: '/v1/billing/nothing', payload: 'x' })
      const large = await deliver({ service, stripe }, event, { body: 'x'.repeat(2_000_000) })
      expect(refusalOf(answer, 'not_found')).toBe('The route was not found.')
      expect(large.body).toBe(answer.body)
      expect([answer.body, steadyHeaders(answer)]).toEqual([absent.body, steadyHeaders(absent)])
    }
  })
})
