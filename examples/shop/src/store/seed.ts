import { hashPassword } from '@svc/example-kit'
import type Database from 'better-sqlite3'
import { CATALOGUE } from './catalogue/catalogue.ts'

/** Fills an empty shop: the catalogue, two customers, and the orders they have placed before. */
export function seed(database: Database.Database, now: number): void {
  seedProducts(database)
  seedCustomers(database)
  seedOrders(database, now)
}

/** The customers to try the shop with. Their passwords are public: this shop sells nothing. */
export const DEMO_CUSTOMERS = [
  { id: 1, email: 'mira@example.com', name: 'Mira Lindqvist', country: 'DE', password: 'mountain-air' },
  { id: 2, email: 'jonas@example.com', name: 'Jonas Okafor', country: 'AT', password: 'river-stones' },
] as const

const DAY_MS = 24 * 60 * 60 * 1000

const EARLIER_ORDERS = [
  {
    number: 1001,
    customerId: 1,
    status: 'delivered',
    tracking: 'HP204417DE',
    daysAgo: 24,
    shippingCents: 490,
    skus: ['LGT-202', 'COK-303'],
  },
  {
    number: 1002,
    customerId: 1,
    status: 'shipped',
    tracking: 'HP208852DE',
    daysAgo: 2,
    shippingCents: 490,
    skus: ['CLO-404'],
  },
  {
    number: 1003,
    customerId: 2,
    status: 'delivered',
    tracking: 'HP198106AT',
    daysAgo: 41,
    shippingCents: 0,
    skus: ['HOM-801', 'TOL-604'],
  },
] as const

function seedProducts(database: Database.Database): void {
  const product = database.prepare(
    `INSERT INTO products (id, sku, name, category, description, price_cents, stock)
     VALUES (@id, @sku, @name, @category, @description, @priceCents, @stock)`,
  )
  const words = database.prepare(
    `INSERT INTO product_words (rowid, name, category, tags, description)
     VALUES (@id, @name, @category, @tags, @description)`,
  )
  for (const [index, entry] of CATALOGUE.entries()) {
    product.run({ ...entry, id: index + 1 })
    words.run({ ...entry, id: index + 1 })
  }
}

let passwordHashes: readonly string[] | undefined

function seedCustomers(database: Database.Database): void {
  const customer = database.prepare(
    'INSERT INTO customers (id, email, name, country, password_hash) VALUES (?, ?, ?, ?, ?)',
  )
  // Once in a process: a hash takes a tenth of a second.
  passwordHashes ??= DEMO_CUSTOMERS.map(({ password }) => hashPassword(password))
  for (const [index, { id, email, name, country }] of DEMO_CUSTOMERS.entries()) {
    customer.run(id, email, name, country, passwordHashes[index])
  }
}

function seedOrders(database: Database.Database, now: number): void {
  const order = database.prepare(
    `INSERT INTO orders
       (number, customer_id, request_id, status, shipping_cents, tracking_code, placed_at, paid_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const line = database.prepare(
    `INSERT INTO order_lines (order_number, product_id, quantity, unit_price_cents)
     SELECT ?, id, 1, price_cents FROM products WHERE sku = ?`,
  )
  for (const { number, customerId, status, shippingCents, tracking, daysAgo, skus } of EARLIER_ORDERS) {
    const placedAt = now - daysAgo * DAY_MS
    order.run(number, customerId, `seed-${number}`, status, shippingCents, tracking, placedAt, placedAt)
    for (const sku of skus) line.run(number, sku)
  }
}
