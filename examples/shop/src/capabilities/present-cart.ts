import { formatPrice } from '../money.ts'
import type { Cart, Line } from '../store/carts.ts'

/** A cart, or the same part of an order: its lines and what they come to, with shipping. */
export function presentCart(cart: Cart) {
  return {
    items: cart.lines.map(presentLine),
    itemCount: cart.lines.reduce((count, line) => count + line.quantity, 0),
    subtotal: formatPrice(cart.itemsCents),
    shipping: cart.shippingCents === 0 ? 'free' : formatPrice(cart.shippingCents),
    total: formatPrice(cart.totalCents),
    totalCents: cart.totalCents,
  }
}

function presentLine(line: Line) {
  return {
    name: line.name,
    sku: line.sku,
    quantity: line.quantity,
    price: formatPrice(line.unitPriceCents),
    lineTotal: formatPrice(line.quantity * line.unitPriceCents),
  }
}
