import type { Store } from './open-store.ts'
import type { Product } from './products.ts'
import type { Customer } from './sessions.ts'
import { quoteShipping } from './shipping.ts'
import { ShopError } from './shop-error.ts'

export interface Line {
  productId: number
  sku: string
  name: string
  quantity: number
  unitPriceCents: number
}

export interface Cart {
  lines: Line[]
  itemsCents: number
  shippingCents: number
  totalCents: number
}

/** What the customer has put aside, at today’s prices. */
export function viewCart(store: Store, customer: Customer): Cart {
  const lines = store.database
    .prepare<[number], Line>(
      `SELECT products.id AS productId, sku, name, quantity, price_cents AS unitPriceCents
       FROM cart_items JOIN products ON products.id = cart_items.product_id
       WHERE customer_id = ? ORDER BY name`,
    )
    .all(customer.id)
  const itemsCents = worthOf(lines)
  const shippingCents = lines.length === 0 ? 0 : quoteShipping({ country: customer.country, itemsCents }).priceCents
  return { lines, itemsCents, shippingCents, totalCents: itemsCents + shippingCents }
}

/** Puts more of a product into the cart, never more than there is. Throws a {@link ShopError}; nothing is reserved. */
export function addToCart(
  store: Store,
  customer: Customer,
  { product, quantity }: { product: Pick<Product, 'id'>; quantity: number },
): Cart {
  const add = store.database.transaction(() => {
    store.database
      .prepare(
        `INSERT INTO cart_items (customer_id, product_id, quantity) VALUES (?, ?, ?)
         ON CONFLICT (customer_id, product_id) DO UPDATE SET quantity = quantity + excluded.quantity`,
      )
      .run(customer.id, product.id, quantity)
    refuseMoreThanStock(store, customer, product.id)
    return viewCart(store, customer)
  })
  return add.immediate()
}

/** Takes a product out of the cart, all pieces of it. One that is not in it changes nothing. */
export function removeFromCart(store: Store, customer: Customer, sku: string): Cart {
  store.database
    .prepare('DELETE FROM cart_items WHERE customer_id = ? AND product_id = (SELECT id FROM products WHERE sku = ?)')
    .run(customer.id, sku)
  return viewCart(store, customer)
}

/** The sum of the lines in cents, without shipping. */
export function worthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.quantity * line.unitPriceCents, 0)
}

/** The sentence for a product of which fewer are left than somebody wants. */
export function notEnough({ name, stock }: { name: string; stock: number }): ShopError {
  if (stock === 0) return new ShopError(`“${name}” is sold out.`)
  if (stock === 1) return new ShopError(`There is only 1 of “${name}” left.`)
  return new ShopError(`There are only ${stock} of “${name}” left.`)
}

function refuseMoreThanStock(store: Store, customer: Customer, productId: number): void {
  const short = store.database
    .prepare<[number, number], { name: string; stock: number }>(
      `SELECT name, stock FROM cart_items JOIN products ON products.id = cart_items.product_id
       WHERE customer_id = ? AND product_id = ? AND quantity > stock`,
    )
    .get(customer.id, productId)
  if (short) throw notEnough(short)
}
