import type { Deps } from '../deps.ts'
import { forbidden, notFound } from '../errors.ts'
import type { CheckoutStatus } from './rules.ts'
import { notePayment } from './settle-payment.ts'
import { type CheckoutView, findByPayment, markExpired } from './store.ts'

/** What the test provider's page shows. */
export interface TestCheckout {
  checkout: CheckoutView
  status: CheckoutStatus
  /** Proves to the two buttons that their page was opened. */
  token: string
}

/** A person's answer on the page. */
export interface TestAnswer {
  checkoutId: string
  token: string
}

type PageDeps = Pick<Deps, 'db' | 'clock' | 'keyring'>

/** The checkout that a page of the test provider is about. Throws 404 for any other. */
export async function findTestCheckout(deps: PageDeps, checkoutId: string): Promise<TestCheckout> {
  const checkout = await findByPayment(deps.db, 'test', checkoutId)
  if (!checkout) throw notFound('The checkout')
  const isLate = checkout.status === 'pending' && deps.clock.now() >= checkout.expires_at
  return { checkout, status: isLate ? 'expired' : checkout.status, token: deps.keyring.hash(tokenText(checkoutId)) }
}

/** Confirms, once, that the test payment is made; returns where the browser goes next. */
export async function confirmTestCheckout(deps: PageDeps & Pick<Deps, 'logger'>, answer: TestAnswer): Promise<string> {
  const { checkout, status } = await answeredCheckout(deps, answer)
  if (status === 'expired') return pageOf(checkout)
  const standing = await notePayment(deps, checkout, { subscriptionRef: null, from: ['pending'] })
  return standing.status === 'expired' ? pageOf(checkout) : checkout.success_url
}

/** Gives the test payment up, unless it was made; returns where the browser goes next. */
export async function cancelTestCheckout(deps: PageDeps, answer: TestAnswer): Promise<string> {
  const { checkout, status } = await answeredCheckout(deps, answer)
  if (status === 'paid' || status === 'ended') return pageOf(checkout)
  await markExpired(deps.db, checkout)
  return checkout.cancel_url
}

async function answeredCheckout(deps: PageDeps, { checkoutId, token }: TestAnswer): Promise<TestCheckout> {
  const found = await findTestCheckout(deps, checkoutId)
  if (!deps.keyring.isHashOf(tokenText(checkoutId), token))
    throw forbidden('The form is not from this checkout’s page. Open the page again and use its buttons.')
  return found
}

function tokenText(checkoutId: string): string {
  return `test-checkout ${checkoutId}`
}

// As seen from one of the two buttons' own addresses.
function pageOf({ checkout_id }: CheckoutView): string {
  return `../${checkout_id}`
}
