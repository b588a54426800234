import { forbidden, notFound } from '../errors.ts'
import type { BillingDeps } from './deps.ts'
import type { CheckoutStatus } from './rules.ts'
import { settlePayment } from './settle-payment.ts'
import { type CheckoutView, findCheckout } from './store.ts'

/** A checkout at the test provider, as its page shows it. */
export interface TestCheckout {
  checkout: CheckoutView
  status: CheckoutStatus
  /** A form with it was sent from the page. */
  token: string
}

/** The form that a person sends from the page. */
export type TestAnswer = Pick<TestCheckout, 'token'> & { checkoutId: string }

/** The checkout of a page of the test provider. Throws 404 for any other. */
export async function findTestCheckout(deps: BillingDeps, checkoutId: string): Promise<TestCheckout> {
  const checkout = await findCheckout(deps.db, { provider: 'test', provider_ref: checkoutId })
  if (!checkout) throw notFound('The checkout')
  const isLate = checkout.status === 'pending' && deps.clock.now() >= checkout.expires_at
  return { checkout, status: isLate ? 'expired' : checkout.status, token: deps.keyring.hash(tokenText(checkoutId)) }
}

/** Makes the test payment, once; returns the address that the browser is redirected to. */
export async function confirmTestCheckout(deps: BillingDeps, answer: TestAnswer): Promise<string> {
  const { checkout, status } = await answeredCheckout(deps, answer)
  const settled =
    status === 'expired' ? { status } : await settlePayment(deps, checkout, { status: 'paid' }, ['pending'])
  return settled?.status === 'expired' ? pageOf(checkout) : checkout.success_url
}

/** Cancels the test payment unless it was made; returns the address that the browser is redirected to. */
export async function cancelTestCheckout(deps: BillingDeps, answer: TestAnswer): Promise<string> {
  const { checkout, status } = await answeredCheckout(deps, answer)
  if (status === 'paid' || status === 'ended') return pageOf(checkout)
  await settlePayment(deps, checkout, { status: 'expired' })
  return checkout.cancel_url
}

async function answeredCheckout(deps: BillingDeps, { checkoutId, token }: TestAnswer): Promise<TestCheckout> {
  const found = await findTestCheckout(deps, checkoutId)
  if (deps.keyring.isHashOf(tokenText(checkoutId), token)) return found
  throw forbidden('The form is not from this checkout’s page. Open the page again and use its buttons.')
}

const tokenText = (checkoutId: string) => `test-checkout ${checkoutId}`

// Relative to the addresses that the two buttons send to.
const pageOf = ({ checkout_id }: CheckoutView) => `../${checkout_id}`
