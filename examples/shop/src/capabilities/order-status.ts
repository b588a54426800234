import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import type { Store } from '../store/open-store.ts'
import { findOrder, type Order } from '../store/orders.ts'
import { requireCustomer } from '../store/sessions.ts'
import { presentOrder } from './present-order.ts'
import type { ShopSite } from './shop-site.ts'
import { showStatus } from './show-in-chat.ts'

export function orderStatusCapability(store: Store, site: ShopSite) {
  return defineCapability({
    name: 'order-status',
    version: '1.0.0',
    effect: 'read',
    description:
      'Track one order by its number: where my order or parcel is, its status, whether it was shipped or delivered.',
    requiresEndUser: true,
    input: z.object({
      orderNumber: z.string().min(1).max(40).describe('Order number, such as ORD-1001.'),
    }),
    handler({ orderNumber }, { endUserToken }) {
      const order = findOrder(store, requireCustomer(store, endUserToken), orderNumber)
      return { summary: summaryOf(order), ...presentOrder(order), svc: showStatus(site, order) }
    },
  })
}

function summaryOf({ status, paidAt }: Order): string {
  return paidAt === null ? 'We have your order and wait for your payment.' : SUMMARIES[status]
}

const SUMMARIES: Record<Order['status'], string> = {
  placed: 'Your order is paid, and we are packing it.',
  shipped: 'Your order is on its way.',
  delivered: 'Your order was delivered.',
}
