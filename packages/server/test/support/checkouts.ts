import { Checkout, VerifiedCheckout } from '@svc/contract'
import { type StripeDouble, type StripeEvent, startStripeDouble } from '@svc/testkit'
import type { LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished } from 'vitest'
import type { Payments } from '../../src/billing/payments/payments.ts'
import { stripePayments } from '../../src/billing/payments/stripe-payments.ts'
import { testPayments } from '../../src/billing/payments/test-payments.ts'
import { Secret } from '../../src/secrets/secret.ts'
import type { Database } from '../../src/store/database.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { startForTest, type TestOwner, type TestService, type TestServiceOptions } from './service.ts'

export const PAGES = { successUrl: 'https://shop.example.com/paid', cancelUrl: 'https://shop.example.com/left' }

/** A Stripe double, and payments that go through the real library to it. */
export async function startStripe(clock: TestClock, timeoutMs = 5_000) {
  const stripe = await startStripeDouble()
  onTestFinished(() => stripe.close())
  const settings = {
    secretKey: new Secret(stripe.secretKey),
    webhookSecret: new Secret(stripe.webhookSecret),
    apiUrl: stripe.url,
  }
  return { stripe, payments: stripePayments(settings, { clock, timeoutMs }) }
}

/** Payments that have a page of their own and take messages, so that the routes of both providers are there. */
export function paymentsWithEveryRoute(): Payments {
  const provider = testPayments({ baseUrl: () => 'https://svc.test', clock: createTestClock() })
  return { ...provider, webhook: { read: () => null } }
}

export interface StripeScene {
  service: TestService
  stripe: StripeDouble
  owner: TestOwner
}

/** A service whose payments go to a Stripe double, with one owner on the free plan. */
export async function setStripeScene(
  database: Database,
  options: TestServiceOptions & { timeoutMs?: number } = {},
): Promise<StripeScene> {
  const clock = options.clock ?? createTestClock()
  const { stripe, payments } = await startStripe(clock, options.timeoutMs)
  const service = await startForTest(database, { ...options, clock, payments })
  return { service, stripe, owner: await service.owner('free') }
}

export function askForCheckout(service: TestService, { apiKey }: TestOwner, body: object = {}) {
  return service.send('POST', '/v1/billing/checkout', { key: apiKey, body: { tier: 'pro', ...PAGES, ...body } })
}

/** A checkout that was begun, which must have worked. */
export async function checkOut(service: TestService, owner: TestOwner, body: object = {}): Promise<Checkout> {
  const answer = await askForCheckout(service, owner, body)
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)])
  return Checkout.parse(answer.json())
}

export function askToVerify(service: TestService, { apiKey }: TestOwner, checkoutId: string) {
  return service.send('POST', '/v1/billing/verify', { key: apiKey, body: { checkoutId } })
}

/** What verify says, which must have worked. */
export async function verify(service: TestService, owner: TestOwner, checkoutId: string): Promise<VerifiedCheckout> {
  const answer = await askToVerify(service, owner, checkoutId)
  expect(answer.statusCode).toBe(200)
  return VerifiedCheckout.parse(answer.json())
}

/** The tier that the account has, whatever anybody was told. */
export async function tierOf({ deps: { db } }: TestService, { ownerId }: TestOwner): Promise<string> {
  return (await db.selectFrom('owners').select('tier').where('owner_id', '=', ownerId).executeTakeFirstOrThrow()).tier
}

/** How often the account’s plan has changed since its runtime was registered: each change moves the runtime on once. */
export async function planChanges({ deps: { db } }: TestService, runtimeId: string): Promise<number> {
  const row = await db
    .selectFrom('runtimes')
    .select('revision')
    .where('runtime_id', '=', runtimeId)
    .executeTakeFirstOrThrow()
  return row.revision
}

/** The session at Stripe of the checkout whose page this is. */
export function sessionOf(stripe: StripeDouble, { url }: Checkout): string {
  const session = [...stripe.sessions.values()].find(({ id }) => url.endsWith(`/${id}`))
  if (!session) throw new Error(`Stripe has no session with the page ${url}`)
  return session.id
}

export interface Delivery {
  /** When it was signed; now, where it is left out. */
  at?: number
  secret?: string
  /** In place of what was signed. */
  body?: string
  headers?: Record<string, string>
}

/** Stripe delivers an event. */
export function deliver(
  { service, stripe }: Pick<StripeScene, 'service' | 'stripe'>,
  event: StripeEvent,
  { at = service.clock.now(), secret, body, headers }: Delivery = {},
): Promise<LightMyRequestResponse> {
  const text = JSON.stringify(event, null, 2)
  const signature = stripe.sign(text, { at, ...(secret !== undefined && { secret }) })
  return service.inject({
    method: 'POST',
    url: '/v1/billing/webhook',
    payload: body ?? text,
    headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature, ...headers },
  })
}

const TOKEN = /name="token" value="([0-9a-f]{64})"/

export interface TestPage {
  answer: LightMyRequestResponse
  /** Null where the page has no form. */
  token: string | null
}

/** A person opens the test provider’s page. */
export async function openPage(service: TestService, { url }: Pick<Checkout, 'url'>): Promise<TestPage> {
  const answer = await service.inject({ method: 'GET', url: new URL(url).pathname })
  return { answer, token: TOKEN.exec(answer.body)?.[1] ?? null }
}

/** A form arrives from the test provider’s page. */
export function pressButton(
  service: TestService,
  { url }: Pick<Checkout, 'url'>,
  { button, token }: { button: 'confirm' | 'cancel'; token: string | null },
): Promise<LightMyRequestResponse> {
  return service.inject({
    method: 'POST',
    url: `${new URL(url).pathname}/${button}`,
    payload: token === null ? '' : `token=${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** A person opens the page and confirms. */
export async function confirmAsPerson(service: TestService, checkout: Checkout): Promise<LightMyRequestResponse> {
  const { token } = await openPage(service, checkout)
  return pressButton(service, checkout, { button: 'confirm', token })
}
