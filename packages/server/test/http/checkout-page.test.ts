import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import {
  checkOut,
  confirmAsPerson,
  openPage,
  PAGES,
  planChanges,
  pressButton,
  setStripeScene,
  tierOf,
  verify,
} from '../support/checkouts.ts'
import { createTestClock } from '../support/clock.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { startForTest } from '../support/service.ts'

const HOUR_MS = 3_600_000

/** Of a policy’s directive, what it allows. */
function allowedBy(policy: unknown, directive: string): string[] {
  const found = String(policy)
    .split('; ')
    .find((part) => part.startsWith(`${directive} `))
  return found?.split(' ').slice(1) ?? []
}

describeEngines('the test checkout’s page', (engine) => {
  const database = useDatabase(engine)

  // holds BIL-09
  test('says in plain words that it is a test, what it is for, and that it costs nothing', async () => {
    const service = await startForTest(database())
    const { answer } = await openPage(service, await checkOut(service, await service.owner()))
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    for (const words of ['Test checkout: no money moves.', 'Pro', '$49.00 a month', 'nothing', 'shop.example.com']) {
      expect(answer.body).toContain(words)
    }
    expect(answer.body).toMatch(/<button[^>]*>Confirm test payment<\/button>\n<button[^>]*>Cancel<\/button>/)
  })

  test('needs no script and no other host, and its policy allows neither', async () => {
    const service = await startForTest(database())
    const { answer } = await openPage(service, await checkOut(service, await service.owner()))
    expect(answer.body).not.toMatch(/<script|<img|<link|<iframe|@import|url\(|\son\w+=|style=/i)
    const policy = answer.headers['content-security-policy']
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(answer.body) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(allowedBy(policy, 'default-src')).toEqual(["'none'"])
    expect(allowedBy(policy, 'style-src')).toEqual([`'sha256-${hash}'`])
    expect(allowedBy(policy, 'form-action')).toEqual(["'self'", 'https://shop.example.com'])
    expect(allowedBy(policy, 'frame-ancestors')).toEqual(["'none'"])
    expect(allowedBy(policy, 'base-uri')).toEqual(["'none'"])
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('lets its form redirect to the owner’s addresses and to no other', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const cases = [
      ['http://localhost:3000/billing', 'http://localhost:3000'],
      ["https://shop.example.com:8443/a;b?c='self'", 'https://shop.example.com:8443'],
      ['http://[::1]:3000/paid', 'http:'],
      ['https://bücher.example/paid', 'https://xn--bcher-kva.example'],
    ]
    for (const [successUrl, source] of cases) {
      const checkout = await checkOut(service, owner, { successUrl })
      const { answer } = await openPage(service, checkout)
      const policy = answer.headers['content-security-policy']
      expect(allowedBy(policy, 'form-action')).toEqual(["'self'", source, 'https://shop.example.com'])
    }
  })

  test('shows addresses as text, without markup', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const successUrl = 'https://shop.example.com/"><script>alert(1)</script>?a=1&b=\'"><img src=x>'
    const checkout = await checkOut(service, owner, { successUrl, cancelUrl: successUrl })
    const before = await openPage(service, checkout)
    const gone = await confirmAsPerson(service, checkout)
    const after = await openPage(service, checkout)
    for (const { answer } of [before, after]) expect(answer.body).not.toMatch(/<script|<img/)
    expect(gone.headers.location).not.toMatch(/[<>"\s]/)
  })

  // holds BIL-11
  test('confirms, and sends the payer to the success address with the checkout’s id', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const checkout = await checkOut(service, owner, { successUrl: 'https://shop.example.com/paid?plan=pro#top' })
    const answer = await confirmAsPerson(service, checkout)
    expect(answer.statusCode).toBe(303)
    expect(answer.headers.location).toBe(`https://shop.example.com/paid?plan=pro&checkoutId=${checkout.checkoutId}#top`)
    expect(await tierOf(service, owner)).toBe('pro')
    const { answer: page, token } = await openPage(service, checkout)
    expect(page.body).toContain('The upgrade is confirmed')
    expect(token).toBeNull()
  })

  // holds BIL-11
  test('cancels, and sends the payer to the cancel address with the checkout’s id; then it is closed', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const checkout = await checkOut(service, owner)
    const { token } = await openPage(service, checkout)
    const cancelled = await pressButton(service, checkout, { button: 'cancel', token })
    expect(cancelled.statusCode).toBe(303)
    expect(cancelled.headers.location).toBe(`${PAGES.cancelUrl}?checkoutId=${checkout.checkoutId}`)
    expect((await verify(service, owner, checkout.checkoutId)).status).toBe('expired')
    const late = await pressButton(service, checkout, { button: 'confirm', token })
    expect([late.statusCode, late.headers.location]).toEqual([303, `../${checkout.checkoutId}`])
    expect(await tierOf(service, owner)).toBe('free')
  })

  test('cannot take a confirmed upgrade back', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const checkout = await checkOut(service, owner)
    const { token } = await openPage(service, checkout)
    await pressButton(service, checkout, { button: 'confirm', token })
    const answer = await pressButton(service, checkout, { button: 'cancel', token })
    expect(answer.headers.location).toBe(`../${checkout.checkoutId}`)
    expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
  })

  // holds BIL-11
  test('refuses a form from a client that has not opened the page', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const checkout = await checkOut(service, owner)
    const other = await openPage(service, await checkOut(service, await service.owner()))
    for (const button of ['confirm', 'cancel'] as const) {
      for (const token of [null, '', 'x', '0'.repeat(64), other.token]) {
        const answer = await pressButton(service, checkout, { button, token })
        expect(refusalOf(answer, 'forbidden')).toContain('Open the page again')
      }
    }
    expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'pending', tier: 'free' })
  })

  test('accepts a form body with its token alone', async () => {
    const service = await startForTest(database())
    const checkout = await checkOut(service, await service.owner())
    const { token } = await openPage(service, checkout)
    const url = `${new URL(checkout.url).pathname}/confirm`
    const json = { method: 'POST', url, payload: { token } } as const
    const text = { method: 'POST', url, payload: `token=${token}`, headers: { 'content-type': 'text/plain' } } as const
    for (const request of [json, text]) expect((await service.inject(request)).statusCode).toBe(400)
    expect((await service.inject({ method: 'POST', url })).statusCode).toBe(403)
    expect((await service.inject({ method: 'GET', url })).statusCode).toBe(404)
  })

  test('is closed after an hour', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const checkout = await checkOut(service, owner)
    const { token } = await openPage(service, checkout)
    service.clock.advance(HOUR_MS)
    const late = await pressButton(service, checkout, { button: 'confirm', token })
    expect([late.statusCode, late.headers.location]).toEqual([303, `../${checkout.checkoutId}`])
    const page = await openPage(service, checkout)
    expect([page.answer.statusCode, page.token]).toEqual([200, null])
    expect(page.answer.body).toContain('This checkout is closed')
    expect(await tierOf(service, owner)).toBe('free')
  })

  test('confirms once when the button is pressed many times on two replicas', async () => {
    const { a, b } = await setReplicatedScene(engine, { manifest: null })
    const checkout = await checkOut(a.service, a.owner)
    const before = await planChanges(a.service, a.runtime.runtimeId)
    const { token } = await openPage(a.service, checkout)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        pressButton(index % 2 ? a.service : b.service, checkout, { button: 'confirm', token }),
      ),
    )
    const success = `${PAGES.successUrl}?checkoutId=${checkout.checkoutId}`
    expect(answers.map(({ headers }) => headers.location)).toEqual(Array(20).fill(success))
    expect(await planChanges(a.service, a.runtime.runtimeId)).toBe(before + 1)
  })

  test('either confirms or cancels if both are pressed at once, and redirects accordingly', async () => {
    const service = await startForTest(database())
    for (let round = 0; round < 10; round += 1) {
      const owner = await service.owner()
      const checkout = await checkOut(service, owner)
      const { token } = await openPage(service, checkout)
      const press = (button: 'confirm' | 'cancel') => pressButton(service, checkout, { button, token })
      const [confirmed] = await Promise.all([press('confirm'), press('cancel')])
      const { status, tier } = await verify(service, owner, checkout.checkoutId)
      expect(tier).toBe(status === 'paid' ? 'pro' : 'free')
      expect(String(confirmed.headers.location).startsWith(PAGES.successUrl)).toBe(status === 'paid')
    }
  })

  test('answers 404 for an unknown checkout', async () => {
    const service = await startForTest(database())
    const { answer } = await openPage(service, { url: 'https://svc.test/v1/billing/test-checkout/chk_of_nobody' })
    expect(refusalOf(answer, 'not_found')).toBe('The checkout was not found.')
  })

  test('is not served with Stripe configured', async () => {
    const clock = createTestClock()
    const service = await startForTest(database(), { clock })
    const owner = await service.owner()
    const checkout = await checkOut(service, owner)
    const { token } = await openPage(service, checkout)
    const { service: withStripe } = await setStripeScene(database(), { clock, masterKey: service.masterKey })
    const answers = [
      (await openPage(withStripe, checkout)).answer,
      await pressButton(withStripe, checkout, { button: 'confirm', token }),
    ]
    for (const answer of answers) expect(refusalOf(answer, 'not_found')).toBe('The route was not found.')
    expect(await verify(withStripe, owner, checkout.checkoutId)).toMatchObject({ status: 'pending', tier: 'free' })
    clock.advance(HOUR_MS)
    expect(await verify(withStripe, owner, checkout.checkoutId)).toMatchObject({ status: 'expired', tier: 'free' })
  })
})
