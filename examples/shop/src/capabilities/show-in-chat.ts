import { formatPrice } from '../money.ts'
import type { Order } from '../store/orders.ts'
import type { Product } from '../store/products.ts'
import type { ShopSite } from './shop-site.ts'

// What stands under `svc` in an output is for the chat on the page: cards, what to do next, and what to wait for.

const MOST_CARDS = 6
// Each poll is paid for like a question. Who comes back from paying is asked about at once, whatever the interval.
const PAYMENT_INTERVAL_MS = 5000
const PAYMENT_TIMEOUT_MS = 10 * 60_000

/** Products as cards, each with an offer to put it into the cart. */
export function showProducts(site: ShopSite, products: readonly Product[]) {
  const url = site.url()
  return {
    cards: products.slice(0, MOST_CARDS).map((product) => ({
      type: 'product',
      title: product.name,
      price: product.stock > 0 ? formatPrice(product.priceCents) : 'sold out',
      description: product.description,
      ...(product.stock > 0 && { actions: [reply('Add to cart', `Add the ${product.name} to my cart`)] }),
      ...(url && {
        url: `${url}/#${product.sku}`,
        image: { url: `${url}/picture-${product.category}.svg`, alt: '' },
      }),
    })),
  }
}

/** What a cart leads to. */
export function showCart(isEmpty: boolean) {
  return {
    actions: isEmpty ? [] : [reply('Order now', 'Place the order'), reply('Show the cart', 'What is in my cart?')],
  }
}

/** A way to pay, and the wait for it, until the order is paid. */
export function showPayment(site: ShopSite, order: Order) {
  if (order.paidAt !== null) return { settled: true }
  return {
    actions: payLink(site, order),
    pending: {
      capability: 'order-status',
      label: 'your payment',
      input: { orderNumber: order.number },
      intervalMs: PAYMENT_INTERVAL_MS,
      timeoutMs: PAYMENT_TIMEOUT_MS,
    },
  }
}

/** Whether an order still waits for its payment, polled until it is paid. */
export function showStatus(site: ShopSite, order: Order) {
  return order.paidAt === null ? { settled: false, actions: payLink(site, order) } : { settled: true }
}

function payLink(site: ShopSite, { totalCents, paymentCode }: Order) {
  const url = site.url()
  if (url === null || paymentCode === null) return []
  const label = `Pay ${formatPrice(totalCents)}`
  return [{ type: 'link', label, url: `${url}/pay?code=${encodeURIComponent(paymentCode)}`, style: 'primary' }]
}

function reply(label: string, value: string) {
  return { type: 'reply', label, value }
}
