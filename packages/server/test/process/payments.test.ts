import { startStripeDouble } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ask, createOwner } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, failToStart } from './server-process.ts'

const DEMO = { SVC_MODEL: 'demo:rules' }
const PAGES = { successUrl: 'https://shop.example.com/paid', cancelUrl: 'https://shop.example.com/left' }
const Begun = z.object({ checkoutId: z.string(), url: z.string(), provider: z.string() })

async function checkOut(url: string, key: string) {
  const answer = await ask(`${url}/v1/billing/checkout`, { key, body: { tier: 'pro', ...PAGES } })
  expect(answer.status).toBe(200)
  return Begun.parse(answer.body)
}

test('with a key of Stripe’s a server takes payments there, and its output does not hold the key', async () => {
  const stripe = await startStripeDouble()
  onTestFinished(() => stripe.close())
  const environment = {
    ...DEMO,
    SVC_DATA_DIR: createFolder(),
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
  }
  const { apiKey: key } = await createOwner(environment)
  const server = await startServerHere(environment)
  expect(server.summary).toMatch(/^payments Stripe$/m)
  const checkout = await checkOut(server.url, key)
  expect(checkout.provider).toBe('stripe')
  const [session = ''] = [...stripe.sessions.keys()]
  const event = JSON.stringify(stripe.pay(session))
  const delivered = await fetch(`${server.url}/v1/billing/webhook`, {
    method: 'POST',
    headers: { connection: 'close', 'stripe-signature': stripe.sign(event, { at: Date.now() }) },
    body: event,
  })
  expect(delivered.status).toBe(200)
  const { checkoutId } = checkout
  const verified = await ask(`${server.url}/v1/billing/verify`, { key, body: { checkoutId } })
  expect(verified.body).toEqual({ checkoutId, status: 'paid', tier: 'pro' })
  await server.stop()
  const output = server.summary + server.log()
  expect(output).toContain('stopped')
  for (const secret of [stripe.secretKey, stripe.webhookSecret]) expect(output).not.toContain(secret)
})

test('without one the test checkout stands in on a developer’s own machine, and says so at the start', async () => {
  const environment = { ...DEMO, SVC_DATA_DIR: createFolder() }
  const { apiKey: key } = await createOwner(environment)
  const server = await startServerHere(environment)
  expect(server.summary).toMatch(/^payments test checkout: no money moves/m)
  const { checkoutId, url } = await checkOut(server.url, key)
  expect(url.startsWith(`${server.url}/`)).toBe(true)
  const page = await (await fetch(url, { headers: { connection: 'close' } })).text()
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(page) ?? []
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page) ?? []
  // As a browser does: the action is relative to the page.
  const confirmed = await fetch(new URL(action, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { connection: 'close' },
    body: new URLSearchParams({ token }),
  })
  expect([confirmed.status, confirmed.headers.get('location')]).toEqual([
    303,
    `${PAGES.successUrl}?checkoutId=${checkoutId}`,
  ])
  const verified = await ask(`${server.url}/v1/billing/verify`, { key, body: { checkoutId } })
  expect(verified.body).toEqual({ checkoutId, status: 'paid', tier: 'pro' })
})

// holds BIL-15
test('a deployed server has no test checkout unless it is told to: nobody upgrades for nothing', async () => {
  const deployed = { ...DEMO, SVC_DATA_DIR: createFolder(), NODE_ENV: 'production' }
  const { apiKey: key } = await createOwner(deployed)
  const server = await startServerHere(deployed)
  expect(server.summary).toMatch(/^payments no provider: upgrades are refused/m)
  const refused = await ask(`${server.url}/v1/billing/checkout`, { key, body: { tier: 'pro', ...PAGES } })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain('no payment provider is configured')
  await server.stop()
  const told = await startServerHere({ ...deployed, SVC_TEST_PAYMENTS: '1' })
  expect((await checkOut(told.url, key)).provider).toBe('test')
})

test('with half of Stripe’s settings a server does not start, and repeats none of them', async () => {
  const { code, stderr } = await failToStart({
    ...DEMO,
    SVC_DATA_DIR: createFolder(),
    STRIPE_WEBHOOK_SECRET: 'whsec_x1',
  })
  expect(code).toBe(1)
  expect(stderr).toContain('STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET.')
  expect(stderr).not.toContain('whsec_x1')
})
