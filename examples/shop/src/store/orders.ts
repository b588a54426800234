import { formatPrice } from '../money.ts'
import { type Line, notEnough, viewCart, worthOf } from './carts.ts'
import type { Store } from './open-store.ts'
import type { Customer } from './sessions.ts'
import { ShopError } from './shop-error.ts'

export interface Order {
  /** As customers know it, `ORD-1001`. */
  number: string
  status: 'placed' | 'shipped' | 'delivered'
  /** Milliseconds since the epoch. */
  placedAt: number
  trackingCode: string | null
  /** A secret that allows paying for the order, and nothing else. Null for orders made before the pay page existed. */
  paymentCode: string | null
  /** Milliseconds since the epoch; null until it is paid. */
  paidAt: number | null
  lines: Line[]
  itemsCents: number
  shippingCents: number
  totalCents: number
}

interface Checkout {
  /** The same one again answers with the order that it placed. */
  requestId: string
  /** The total that the customer has seen: where the cart comes to another one, nothing is ordered. */
  seenCents?: number
}

/**
 * Turns the cart into an order: takes the goods from stock, writes the order and empties the cart, or does none of it.
 * Throws a {@link ShopError}.
 */
export function placeOrder(store: Store, customer: Customer, checkout: Checkout): Order {
  const place = store.database.transaction(() => {
    const earlier = readOrder(store, customer, { column: 'request_id', value: checkout.requestId })
    return earlier ?? orderCart(store, customer, checkout)
  })
  return place.immediate()
}

/** The customer’s orders, newest first. */
export function listOrders(store: Store, customer: Customer): Order[] {
  return store.database
    .prepare<[number], OrderRow>(`${SELECT} WHERE customer_id = ? ORDER BY number DESC`)
    .all(customer.id)
    .map((row) => withLines(store, row))
}

/** One of the customer’s orders by `ORD-1001`, `#1001` or `1001`. Throws a {@link ShopError} for anybody else’s. */
export function findOrder(store: Store, customer: Customer, orderNumber: string): Order {
  const digits = /^\s*(?:ord(?:er)?)?[\s#-]*(\d{1,12})\s*$/i.exec(orderNumber)?.[1]
  const order = digits && readOrder(store, customer, { column: 'number', value: Number(digits) })
  if (order) return order
  throw new ShopError(
    `There is no order “${orderNumber.slice(0, 40)}” on your account. Order numbers look like ORD-1001.`,
  )
}

/** The order that a payment code is of. Throws a {@link ShopError} for a code that is none. */
export function findPayment(store: Store, paymentCode: string): Order {
  const row = store.database.prepare<[string], OrderRow>(`${SELECT} WHERE payment_code = ?`).get(paymentCode)
  if (!row) throw new ShopError('This payment link is not known.')
  return withLines(store, row)
}

/** Marks the order of a payment code as paid; again, it stays as it was. Throws a {@link ShopError}. */
export function payOrder(store: Store, paymentCode: string): Order {
  store.database
    .prepare('UPDATE orders SET paid_at = ? WHERE payment_code = ? AND paid_at IS NULL')
    .run(store.now(), paymentCode)
  return findPayment(store, paymentCode)
}

interface OrderRow {
  number: number
  status: Order['status']
  placedAt: number
  trackingCode: string | null
  shippingCents: number
  paymentCode: string | null
  paidAt: number | null
}

const SELECT = `SELECT number, status, placed_at AS placedAt, tracking_code AS trackingCode,
  shipping_cents AS shippingCents, payment_code AS paymentCode, paid_at AS paidAt FROM orders`

function orderCart(store: Store, customer: Customer, { requestId, seenCents }: Checkout): Order {
  const cart = viewCart(store, customer)
  if (cart.lines.length === 0) throw new ShopError('Your cart is empty: there is nothing to order.')
  if (seenCents !== undefined && seenCents !== cart.totalCents) {
    throw new ShopError(
      `Your cart has changed and now comes to ${formatPrice(cart.totalCents)}. Please look at it again.`,
    )
  }
  for (const line of cart.lines) takeFromStock(store, line)
  const paymentCode = store.newToken()
  const { lastInsertRowid } = store.database
    .prepare(
      `INSERT INTO orders (customer_id, request_id, status, shipping_cents, placed_at, payment_code)
       VALUES (?, ?, 'placed', ?, ?, ?)`,
    )
    .run(customer.id, requestId, cart.shippingCents, store.now(), paymentCode)
  const number = Number(lastInsertRowid)
  writeLines(store, number, cart.lines)
  store.database.prepare('DELETE FROM cart_items WHERE customer_id = ?').run(customer.id)
  return {
    ...cart,
    number: `ORD-${number}`,
    status: 'placed',
    placedAt: store.now(),
    trackingCode: null,
    paymentCode,
    paidAt: null,
  }
}

// The condition is part of the update, so two orders can never take the same last piece.
function takeFromStock(store: Store, { productId, name, quantity }: Line): void {
  const { changes } = store.database
    .prepare('UPDATE products SET stock = stock - ? WHERE id = ? AND stock >= ?')
    .run(quantity, productId, quantity)
  if (changes === 1) return
  const left = store.database
    .prepare<[number], { stock: number }>('SELECT stock FROM products WHERE id = ?')
    .get(productId)
  throw notEnough({ name, stock: left?.stock ?? 0 })
}

function writeLines(store: Store, orderNumber: number, lines: readonly Line[]): void {
  const insert = store.database.prepare(
    'INSERT INTO order_lines (order_number, product_id, quantity, unit_price_cents) VALUES (?, ?, ?, ?)',
  )
  for (const line of lines) insert.run(orderNumber, line.productId, line.quantity, line.unitPriceCents)
}

function readOrder(
  store: Store,
  customer: Customer,
  by: { column: 'number'; value: number } | { column: 'request_id'; value: string },
): Order | null {
  const row = store.database
    .prepare<[number, number | string], OrderRow>(`${SELECT} WHERE customer_id = ? AND ${by.column} = ?`)
    .get(customer.id, by.value)
  return row ? withLines(store, row) : null
}

function withLines(store: Store, { number, ...row }: OrderRow): Order {
  const lines = store.database
    .prepare<[number], Line>(
      `SELECT product_id AS productId, sku, name, quantity, unit_price_cents AS unitPriceCents
       FROM order_lines JOIN products ON products.id = order_lines.product_id
       WHERE order_number = ? ORDER BY name`,
    )
    .all(number)
  const itemsCents = worthOf(lines)
  return { ...row, number: `ORD-${number}`, lines, itemsCents, totalCents: itemsCents + row.shippingCents }
}
