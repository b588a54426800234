import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { formatPrice } from '../money.ts'
import { viewCart } from '../store/carts.ts'
import type { Store } from '../store/open-store.ts'
import { placeOrder } from '../store/orders.ts'
import { requireCustomer } from '../store/sessions.ts'
import { presentOrder } from './present-order.ts'
import type { ShopSite } from './shop-site.ts'
import { showPayment } from './show-in-chat.ts'

// An order of more is asked about first.
const UNASKED_CENTS = 100_00
// A preview has 20 lines at most.
const MOST_ITEMS = 18

export function placeOrderCapability(store: Store, site: ShopSite) {
  return defineCapability({
    name: 'place-order',
    version: '1.0.0',
    description:
      'Place the order: check out and buy everything in the cart. Only when the customer has clearly asked to order, ' +
      'check out or buy now.',
    requiresEndUser: true,
    confirm: true,
    input: z.object({}),
    // What changes it between the question and the order, such as a price, has the order refused.
    preview(_input, { endUserToken }) {
      const { lines, shippingCents, totalCents } = viewCart(store, requireCustomer(store, endUserToken))
      const items = lines.map(
        ({ name, quantity, unitPriceCents }) => `${quantity} × ${name}, ${formatPrice(unitPriceCents)} each`,
      )
      const more = items.length - MOST_ITEMS
      return {
        title: 'Place this order',
        lines: [
          ...items.slice(0, MOST_ITEMS),
          ...(more > 0 ? [`… and ${more} more`] : []),
          shippingCents === 0 ? 'Free shipping' : `Shipping, ${formatPrice(shippingCents)}`,
        ],
        amount: { value: totalCents / 100, currency: 'EUR' },
        confirm: totalCents > UNASKED_CENTS,
      }
    },
    // The call id stays the same when a call is tried again, so one purchase never becomes two orders.
    handler(_input, { endUserToken, callId }) {
      const order = placeOrder(store, requireCustomer(store, endUserToken), { requestId: callId })
      return { ...presentOrder(order), svc: showPayment(site, order) }
    },
  })
}
