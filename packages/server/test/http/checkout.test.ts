import { PlanList } from '@svc/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { updateTier } from '../../src/accounts/store.ts'
import { testPayments } from '../../src/billing/payments/test-payments.ts'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import {
  askForCheckout,
  askToVerify,
  checkOut,
  confirmAsPerson,
  openPage,
  PAGES,
  planChanges,
  pressButton,
  sessionOf,
  setStripeScene,
  tierOf,
  verify,
} from '../support/checkouts.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { dumpTables } from '../support/scene.ts'
import { startForTest } from '../support/service.ts'

const HOUR_MS = 3_600_000
const GENERIC = 'Something went wrong on our side. Try again later.'

function times<T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
}

describeEngines('a checkout', (engine) => {
  const database = useDatabase(engine)

  describe('with the test provider', () => {
    // holds BIL-06, BIL-09
    test('leads to the test provider’s page on the service’s own address', async () => {
      const service = await startForTest(database())
      const checkout = await checkOut(service, await service.owner())
      expect(checkout.checkoutId).toMatch(/^chk_[0-9A-HJKMNP-TV-Z]{26}$/)
      expect(checkout).toEqual({
        checkoutId: checkout.checkoutId,
        url: `https://svc.test/v1/billing/test-checkout/${checkout.checkoutId}`,
        provider: 'test',
      })
      expect((await openPage(service, checkout)).answer.statusCode).toBe(200)
    })

    // holds BIL-07, BIL-08
    test('stays pending and leaves the plan unchanged until a person confirms', async () => {
      const service = await startForTest(database())
      const owner = await service.owner()
      const checkout = await checkOut(service, owner)
      const { checkoutId } = checkout
      for (const answer of await times(5, () => verify(service, owner, checkoutId))) {
        expect(answer).toEqual({ checkoutId, status: 'pending', tier: 'free' })
      }
      await openPage(service, checkout)
      expect(await verify(service, owner, checkoutId)).toEqual({ checkoutId, status: 'pending', tier: 'free' })
      expect(await tierOf(service, owner)).toBe('free')
      await confirmAsPerson(service, checkout)
      for (const answer of await times(3, () => verify(service, owner, checkoutId))) {
        expect(answer).toEqual({ checkoutId, status: 'paid', tier: 'pro' })
      }
      const plans = await service.send('GET', '/v1/billing/plans', { key: owner.apiKey })
      expect(PlanList.parse(plans.json()).current).toBe('pro')
    })

    // holds BIL-09
    test('gives the larger plan at once when it is confirmed', async () => {
      const service = await startForTest(database())
      const owner = await service.owner()
      const register = () => service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { name: 'Shop' } })
      expect((await register()).statusCode).toBe(201)
      expect((await register()).statusCode).toBe(403)
      await confirmAsPerson(service, await checkOut(service, owner))
      expect((await register()).statusCode).toBe(201)
    })

    // holds BIL-07
    test('expires after an hour unless it was confirmed', async () => {
      const service = await startForTest(database())
      const [late, quick] = [await service.owner(), await service.owner()]
      const [missed, made] = [await checkOut(service, late), await checkOut(service, quick)]
      await confirmAsPerson(service, made)
      service.clock.advance(HOUR_MS - 1)
      expect((await verify(service, late, missed.checkoutId)).status).toBe('pending')
      service.clock.advance(1)
      expect(await verify(service, late, missed.checkoutId)).toMatchObject({ status: 'expired', tier: 'free' })
      expect(await verify(service, quick, made.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
    })

    test('is replaced by the account’s next checkout', async () => {
      const service = await startForTest(database())
      const owner = await service.owner()
      const [first, second] = [await checkOut(service, owner), await checkOut(service, owner)]
      expect((await verify(service, owner, first.checkoutId)).status).toBe('expired')
      expect((await openPage(service, first)).token).toBeNull()
      await confirmAsPerson(service, second)
      expect(await verify(service, owner, second.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
      expect((await verify(service, owner, first.checkoutId)).status).toBe('expired')
    })

    test('is the only one of 20 concurrent ones that can be confirmed', async () => {
      const service = await startForTest(database())
      const owner = await service.owner()
      const runtime = await service.runtime(owner)
      const begun = await times(20, () => checkOut(service, owner))
      expect(new Set(begun.map(({ checkoutId }) => checkoutId)).size).toBe(20)
      await Promise.all(begun.map((checkout) => confirmAsPerson(service, checkout)))
      const states = await Promise.all(begun.map(({ checkoutId }) => verify(service, owner, checkoutId)))
      expect(states.map(({ status }) => status).sort()).toEqual([...Array(19).fill('expired'), 'paid'])
      expect(await planChanges(service, runtime.runtimeId)).toBe(1)
    })
  })

  describe('without a payment provider', () => {
    // holds BIL-15
    test('is refused with the reason, and the test page is not served', async () => {
      const clock = createTestClock()
      const before = await startForTest(database(), { clock })
      const owner = await before.owner()
      const { checkoutId, url } = await checkOut(before, owner)
      const service = await startForTest(database(), { clock, masterKey: before.masterKey, payments: null })
      const answer = await askForCheckout(service, owner)
      expect(faultsIn(answer)).toEqual({ tier: [expect.stringContaining('no payment provider is configured')] })
      const { token } = await openPage(before, { url })
      const answers = [
        (await openPage(service, { url })).answer,
        await pressButton(service, { url }, { button: 'confirm', token }),
        await service.inject({ method: 'POST', url: '/v1/billing/webhook', payload: '{}' }),
      ]
      for (const absent of answers) expect(refusalOf(absent, 'not_found')).toBe('The route was not found.')
      expect(await verify(service, owner, checkoutId)).toEqual({ checkoutId, status: 'pending', tier: 'free' })
      clock.advance(HOUR_MS)
      expect(await verify(service, owner, checkoutId)).toEqual({ checkoutId, status: 'expired', tier: 'free' })
    })
  })

  // holds BIL-07
  test('of another owner reads as one that does not exist', async () => {
    const { service, stripe, owner } = await setStripeScene(database())
    const otherOwner = await service.owner()
    const checkout = await checkOut(service, owner)
    stripe.pay(sessionOf(stripe, checkout))
    const before = stripe.requests.length
    const [foreign, absent] = [
      await askToVerify(service, otherOwner, checkout.checkoutId),
      await askToVerify(service, otherOwner, 'chk_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    ]
    expect(refusalOf(foreign, 'not_found')).toBe('The checkout was not found.')
    expect([foreign.body, steadyHeaders(foreign)]).toEqual([absent.body, steadyHeaders(absent)])
    expect(stripe.requests).toHaveLength(before)
    expect([await tierOf(service, owner), await tierOf(service, otherOwner)]).toEqual(['free', 'free'])
  })

  describe('with Stripe', () => {
    // holds BIL-06
    test('leads to Stripe’s page, with the price of the plan’s list', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const checkout = await checkOut(service, owner, { successUrl: 'https://shop.example.com/paid?from=svc#top' })
      expect(checkout).toMatchObject({
        provider: 'stripe',
        url: expect.stringMatching(/^https:\/\/checkout\.stripe\./),
      })
      const { plans } = PlanList.parse((await service.send('GET', '/v1/billing/plans', { key: owner.apiKey })).json())
      const price = plans.find(({ tier }) => tier === 'pro')?.price
      expect(stripe.requests).toHaveLength(1)
      const [request] = stripe.requests
      expect(request?.fields).toEqual({
        mode: 'subscription',
        client_reference_id: owner.ownerId,
        customer_email: owner.email,
        'allowed_payment_method_types[0]': 'card',
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': price?.currency.toLowerCase(),
        'line_items[0][price_data][unit_amount]': String(price?.amount),
        'line_items[0][price_data][recurring][interval]': price?.interval,
        'line_items[0][price_data][product_data][name]': 'Pro plan',
        success_url: `https://shop.example.com/paid?from=svc&checkoutId=${checkout.checkoutId}#top`,
        cancel_url: `${PAGES.cancelUrl}?checkoutId=${checkout.checkoutId}`,
        expires_at: String((service.clock.now() + HOUR_MS) / 1000),
        'metadata[checkoutId]': checkout.checkoutId,
        'metadata[ownerId]': owner.ownerId,
        'subscription_data[metadata][checkoutId]': checkout.checkoutId,
        'subscription_data[metadata][ownerId]': owner.ownerId,
      })
      expect(request?.headers['idempotency-key']).toBe(checkout.checkoutId)
      expect(stripe.sessions.get(sessionOf(stripe, checkout))?.amount_total).toBe(price?.amount)
    })

    test('sends Stripe nothing about this machine or its response times', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const { checkoutId } = await checkOut(service, owner)
      await verify(service, owner, checkoutId)
      await verify(service, owner, checkoutId)
      for (const { headers } of stripe.requests) {
        expect(headers['x-stripe-client-telemetry']).toBeUndefined()
        expect(String(headers['x-stripe-client-user-agent'])).not.toMatch(/platform|telemetry|uname/)
      }
    })

    // holds BIL-08
    test('is pending until Stripe reports the payment, and is not looked up after that', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const checkout = await checkOut(service, owner)
      const { checkoutId } = checkout
      expect(await verify(service, owner, checkoutId)).toEqual({ checkoutId, status: 'pending', tier: 'free' })
      stripe.pay(sessionOf(stripe, checkout))
      expect(await tierOf(service, owner)).toBe('free')
      expect(await verify(service, owner, checkoutId)).toEqual({ checkoutId, status: 'paid', tier: 'pro' })
      const asked = stripe.requests.length
      expect(await verify(service, owner, checkoutId)).toEqual({ checkoutId, status: 'paid', tier: 'pro' })
      expect(stripe.requests).toHaveLength(asked)
    })

    test('is pending while the payer is done and the money has not arrived', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const checkout = await checkOut(service, owner)
      stripe.complete(sessionOf(stripe, checkout))
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'pending', tier: 'free' })
      service.clock.advance(2 * HOUR_MS)
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'pending', tier: 'free' })
      stripe.receive(sessionOf(stripe, checkout))
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
    })

    test('expires when Stripe says so', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const checkout = await checkOut(service, owner)
      stripe.expire(sessionOf(stripe, checkout))
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'expired', tier: 'free' })
    })

    test('gives no plan if the subscription ended before the first look-up', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const checkout = await checkOut(service, owner)
      const session = sessionOf(stripe, checkout)
      stripe.pay(session)
      stripe.endSubscription(session)
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'paid', tier: 'free' })
      expect(await tierOf(service, owner)).toBe('free')
    })

    test('cannot be paid at Stripe any more once it is replaced', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const [first, second] = [await checkOut(service, owner), await checkOut(service, owner)]
      const session = sessionOf(stripe, second)
      expect([...stripe.sessions.values()].map(({ id, status }) => [id === session, status])).toEqual([
        [false, 'expired'],
        [true, 'open'],
      ])
      expect((await verify(service, owner, first.checkoutId)).status).toBe('expired')
      stripe.pay(session)
      expect(await verify(service, owner, second.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
    })

    test('is not begun if an earlier one turns out to be paid: the payer has the plan and pays once', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const first = await checkOut(service, owner)
      stripe.pay(sessionOf(stripe, first))
      const again = await askForCheckout(service, owner)
      expect(faultsIn(again)).toEqual({ tier: ['is the plan that this account is on already.'] })
      expect([...stripe.sessions.values()].map(({ status }) => status)).toEqual(['complete', 'expired'])
      expect(await verify(service, owner, first.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
    })

    test('leaves one open at Stripe of 10 that begin at once', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      await times(10, () => checkOut(service, owner))
      const states = [...stripe.sessions.values()].map(({ status }) => status)
      expect(states.sort()).toEqual([...Array(9).fill('expired'), 'open'])
    })

    test('never replaces a larger plan', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const checkout = await checkOut(service, owner)
      await updateTier(service.deps.db, owner.email, 'enterprise', service.clock.now())
      stripe.pay(sessionOf(stripe, checkout))
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'paid', tier: 'enterprise' })
      expect(await tierOf(service, owner)).toBe('enterprise')
    })

    test('keeps no secret in its row', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const checkout = await checkOut(service, owner)
      stripe.pay(sessionOf(stripe, checkout))
      await verify(service, owner, checkout.checkoutId)
      const tables = await dumpTables(database())
      for (const secret of [stripe.secretKey, stripe.webhookSecret, checkout.url, owner.apiKey]) {
        expect(tables).not.toContain(secret)
      }
    })
  })
})

// These end before the store, or at Stripe: one engine tells as much as two.
describeEngine('sqlite', 'a checkout', (engine) => {
  const database = useDatabase(engine)

  test('waits for the provider beside 31 of its account and 255 in all; the next one gets 429', async () => {
    const gate = createGate()
    onTestFinished(() => gate.open())
    const clock = createTestClock()
    const provider = testPayments({ baseUrl: () => 'https://svc.test', clock })
    const check = async (payment: { ref: string; expiresAt: number }) => {
      await gate.enter()
      return provider.check(payment)
    }
    const service = await startForTest(database(), { clock, payments: { ...provider, check } })
    const accounts = await times(9, async () => {
      const owner = await service.owner()
      return { owner, checkoutId: (await checkOut(service, owner)).checkoutId }
    })
    const tooMany = 'Too many payments are being asked about. Try again in a moment.'
    const waiting: Promise<unknown>[] = []
    for (const { owner, checkoutId } of accounts.slice(0, 8)) {
      for (let count = 0; count < 32; count += 1) waiting.push(verify(service, owner, checkoutId))
      await gate.arrived(waiting.length)
      expect(refusalOf(await askToVerify(service, owner, checkoutId), 'rate_limit_exceeded')).toBe(tooMany)
    }
    for (const { owner, checkoutId } of accounts) {
      const refused = [await askToVerify(service, owner, checkoutId), await askForCheckout(service, owner)]
      for (const answer of refused) expect(refusalOf(answer, 'rate_limit_exceeded')).toBe(tooMany)
    }
    gate.open()
    expect(await Promise.all(waiting)).toHaveLength(256)
    for (const { owner, checkoutId } of accounts) {
      expect((await verify(service, owner, checkoutId)).status).toBe('pending')
    }
  })

  describe('without a reason', () => {
    test.each([
      ['pro', 'is the plan that this account is on already.'],
      ['enterprise', 'is a smaller plan than this account’s, which is enterprise: there is nothing to upgrade.'],
    ] as const)('is refused to an account on the %s plan, with the reason', async (tier, reason) => {
      const { service, stripe } = await setStripeScene(database())
      const answer = await askForCheckout(service, await service.owner(tier))
      expect(faultsIn(answer)).toEqual({ tier: [reason] })
      expect(stripe.requests).toEqual([])
    })

    // holds BIL-06
    test.each(['free', 'enterprise', 'Pro', ''])('is refused for the plan %j', async (tier) => {
      const service = await startForTest(database())
      const answer = await askForCheckout(service, await service.owner(), { tier })
      expect(faultsIn(answer)['tier']).toEqual([expect.stringContaining('must be “pro”')])
    })

    test.each([
      'javascript:alert(1)',
      'data:text/html,hello',
      'ftp://shop.example.com/',
      '/paid',
      '//shop.example.com/paid',
      'shop.example.com',
      'https://',
      'https://visa:4242@shop.example.com/paid',
      'https:visa:4242@shop.example.com/paid',
    ])('is refused with the return address %s', async (address) => {
      const service = await startForTest(database())
      const owner = await service.owner()
      for (const field of ['successUrl', 'cancelUrl']) {
        expect(Object.keys(faultsIn(await askForCheckout(service, owner, { [field]: address })))).toEqual([field])
      }
    })
  })

  describe('when Stripe fails', () => {
    test.each([
      ['a 500', { type: 'status', status: 500 }],
      ['a cut connection', { type: 'cut' }],
      ['a lock', { type: 'status', status: 409 }],
    ] as const)('%s leads to one repeat of the request under the same idempotency key', async (_name, fault) => {
      const { service, stripe, owner } = await setStripeScene(database())
      stripe.failNext(fault)
      const checkout = await checkOut(service, owner)
      expect(stripe.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
        checkout.checkoutId,
        checkout.checkoutId,
      ])
      expect(stripe.sessions.size).toBe(1)
      stripe.pay(sessionOf(stripe, checkout))
      stripe.failNext(fault)
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
    })

    test('a refused key is reported to the log alone, without the key', async () => {
      const lines: string[] = []
      const { service, stripe, owner } = await setStripeScene(database(), { log: (line) => lines.push(line) })
      const checkout = await checkOut(service, owner)
      const revealing = `Invalid API Key provided: ${stripe.secretKey}, ${checkout.url}`
      const refusals = { type: 'status', status: 401, message: revealing } as const
      stripe.failNext(refusals, refusals)
      const answers = [
        await askToVerify(service, owner, checkout.checkoutId),
        await askForCheckout(service, await service.owner()),
      ]
      for (const answer of answers) expect(refusalOf(answer, 'internal_error')).toBe(GENERIC)
      const log = lines.join('')
      expect(log).toContain('StripeAuthenticationError, code scripted, status 401, request req_')
      for (const secret of [stripe.secretKey, 'Invalid API Key', checkout.url]) expect(log).not.toContain(secret)
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'pending' })
    })

    test('a missing answer still gets the caller an answer, and changes nothing', async () => {
      const { service, stripe, owner } = await setStripeScene(database(), { timeoutMs: 50 })
      const silence = { type: 'silence' } as const
      stripe.failNext(silence, silence, silence)
      expect(refusalOf(await askForCheckout(service, owner), 'internal_error')).toBe(GENERIC)
      expect(stripe.requests).toHaveLength(3)
      expect(new Set(stripe.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
      const rows = await database()
        .db.selectFrom('checkouts')
        .selectAll()
        .where('owner_id', '=', owner.ownerId)
        .execute()
      expect(rows).toEqual([])
    })

    test('an unreachable Stripe gets the same answer, and the log has the reason', async () => {
      const lines: string[] = []
      const { service, stripe, owner } = await setStripeScene(database(), { log: (line) => lines.push(line) })
      await stripe.close()
      expect(refusalOf(await askForCheckout(service, owner), 'internal_error')).toBe(GENERIC)
      expect(lines.join('')).toContain('StripeConnectionError, reason ECONNREFUSED')
    })

    test('an earlier checkout that cannot be closed prevents another, and the next try closes both', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const first = await checkOut(service, owner)
      const session = sessionOf(stripe, first)
      const gone = { type: 'status', status: 404 } as const
      const asked = stripe.requests.length
      // The second session is opened, and then the first cannot be looked at.
      stripe.failNext(null, gone)
      expect(refusalOf(await askForCheckout(service, owner), 'internal_error')).toBe(GENERIC)
      expect(stripe.requests.length).toBe(asked + 2)
      expect(stripe.sessions.get(session)?.status).toBe('open')
      const third = await checkOut(service, owner)
      const open = [...stripe.sessions.values()].filter(({ status }) => status === 'open')
      expect(open.map(({ id }) => id)).toEqual([sessionOf(stripe, third)])
    })

    // holds BIL-06
    test('checkouts that cannot be closed are limited to ten, and the next try closes them', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const gone = { type: 'status', status: 404 } as const
      await checkOut(service, owner)
      for (let count = 1; count < 10; count += 1) {
        stripe.failNext(null, gone)
        await askForCheckout(service, owner)
      }
      for (let count = 0; count < 3; count += 1) {
        // One is looked at, and then it is not closed.
        stripe.failNext(null, gone)
        expect(refusalOf(await askForCheckout(service, owner), 'internal_error')).toBe(GENERIC)
      }
      expect(stripe.sessions.size).toBe(10)
      const last = await checkOut(service, owner)
      const open = [...stripe.sessions.values()].filter(({ status }) => status === 'open')
      expect(open.map(({ id }) => id)).toEqual([sessionOf(stripe, last)])
    })

    // holds BIL-06
    test('ten checkouts that wait for money prevent another until one is settled', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const begun: string[] = []
      for (let count = 0; count < 10; count += 1) {
        begun.push(sessionOf(stripe, await checkOut(service, owner)))
        stripe.complete(begun.at(-1) ?? '')
      }
      const refused = await askForCheckout(service, owner)
      expect(refusalOf(refused, 'rate_limit_exceeded')).toContain('Ten checkouts of this account are open')
      expect(refused.headers['retry-after']).toBe('60')
      expect(stripe.sessions.size).toBe(10)
      stripe.receive(begun[4] ?? '')
      expect(faultsIn(await askForCheckout(service, owner))).toEqual({
        tier: ['is the plan that this account is on already.'],
      })
      expect(stripe.sessions.size).toBe(10)
    })

    test('an earlier checkout that is not closed on request prevents another', async () => {
      const { service, stripe, owner } = await setStripeScene(database())
      const first = await checkOut(service, owner)
      const refused = { type: 'status', status: 404 } as const
      // The second session is opened, the first is looked at, and then it is not closed.
      stripe.failNext(null, null, refused)
      expect(refusalOf(await askForCheckout(service, owner), 'internal_error')).toBe(GENERIC)
      expect(stripe.sessions.get(sessionOf(stripe, first))?.status).toBe('open')
      const third = await checkOut(service, owner)
      const open = [...stripe.sessions.values()].filter(({ status }) => status === 'open')
      expect(open.map(({ id }) => id)).toEqual([sessionOf(stripe, third)])
    })
  })
})
