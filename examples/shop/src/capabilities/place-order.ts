import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import type { Store } from '../store/open-store.ts'
import { placeOrder } from '../store/orders.ts'
import { requireCustomer } from '../store/sessions.ts'
import { presentOrder } from './present-order.ts'
import type { ShopSite } from './shop-site.ts'
import { showPayment } from './show-in-chat.ts'

export function placeOrderCapability(store: Store, site: ShopSite) {
  return defineCapability({
    name: 'place-order',
    version: '1.0.0',
    description:
      'Place the order: check out and buy everything in the cart. Only when the customer has clearly asked to order, ' +
      'check out or buy now.',
    requiresEndUser: true,
    input: z.object({}),
    // The call id stays the same when a call is tried again, so one purchase never becomes two orders.
    handler(_input, { endUserToken, callId }) {
      const order = placeOrder(store, requireCustomer(store, endUserToken), { requestId: callId })
      return { ...presentOrder(order), svc: showPayment(site, order) }
    },
  })
}
