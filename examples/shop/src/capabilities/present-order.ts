import type { Order } from '../store/orders.ts'
import { presentCart } from './present-cart.ts'

/** An order as the customer knows it. */
export function presentOrder(order: Order) {
  return {
    orderNumber: order.number,
    status: order.status,
    payment: order.paidAt === null ? 'open' : 'paid',
    placedOn: new Date(order.placedAt).toISOString().slice(0, 10),
    ...presentCart(order),
    trackingCode: order.trackingCode,
  }
}
