import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import type { Store } from '../store/open-store.ts'
import { listOrders } from '../store/orders.ts'
import { requireCustomer } from '../store/sessions.ts'
import { presentOrder } from './present-order.ts'

const MOST_SHOWN = 20

export function listOrdersCapability(store: Store) {
  return defineCapability({
    name: 'list-orders',
    version: '1.0.0',
    effect: 'read',
    description: 'List my orders: the history of past purchases, what I have ordered or bought before, newest first.',
    requiresEndUser: true,
    input: z.object({}),
    handler(_input, { endUserToken }) {
      const orders = listOrders(store, requireCustomer(store, endUserToken)).slice(0, MOST_SHOWN)
      return { orders: orders.map(presentOrder) }
    },
  })
}
