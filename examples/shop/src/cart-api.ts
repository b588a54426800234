import type { IncomingMessage } from 'node:http'
import { type Answer, RequestProblem, readJson } from '@svc/example-kit'
import { z } from 'zod'
import { presentCart } from './capabilities/present-cart.ts'
import { presentOrder } from './capabilities/present-order.ts'
import { orPlainProblem } from './plain-problem.ts'
import { addToCart, type Cart, removeFromCart, viewCart } from './store/carts.ts'
import type { Store } from './store/open-store.ts'
import { listOrders, type Order, placeOrder } from './store/orders.ts'
import { findProduct } from './store/products.ts'
import { type Customer, requireCustomer } from './store/sessions.ts'

/** The session that the page sends with a request. Throws a {@link RequestProblem} where there is none. */
export function sessionOf(request: IncomingMessage): string {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!token) throw new RequestProblem(401, 'Please sign in first.')
  return token
}

interface Deps {
  store: Store
}

export function getCart({ store }: Deps, request: IncomingMessage): Answer {
  return cartAnswer(store, viewCart(store, customerOf(store, request)))
}

const Addition = z.object({ product: z.string().min(1).max(200), quantity: z.int().min(1).max(99).default(1) })

export async function addItem({ store }: Deps, request: IncomingMessage): Promise<Answer> {
  const customer = customerOf(store, request)
  const addition = Addition.safeParse(await readJson(request))
  if (!addition.success) throw new RequestProblem(400, '“product” must be a name or SKU, “quantity” 1 to 99.')
  const { product, quantity } = addition.data
  const cart = orPlainProblem(409, () => addToCart(store, customer, { product: findProduct(store, product), quantity }))
  return cartAnswer(store, cart)
}

export function removeItem({ store }: Deps, request: IncomingMessage, query: URLSearchParams): Answer {
  return cartAnswer(store, removeFromCart(store, customerOf(store, request), query.get('sku') ?? ''))
}

export function getOrders({ store }: Deps, request: IncomingMessage): Answer {
  return { status: 200, body: { orders: listOrders(store, customerOf(store, request)).map(payable) } }
}

const Checkout = z.object({ requestId: z.string().min(1).max(100), totalCents: z.int().min(0) })

/** Orders what the cart held when the page showed it, in the same way as the capability does. */
export async function createOrder({ store }: Deps, request: IncomingMessage): Promise<Answer> {
  const customer = customerOf(store, request)
  const checkout = Checkout.safeParse(await readJson(request))
  if (!checkout.success) throw new RequestProblem(400, '“requestId” and “totalCents” must be those of the cart.')
  const { requestId, totalCents } = checkout.data
  const order = orPlainProblem(409, () => placeOrder(store, customer, { requestId, seenCents: totalCents }))
  return { status: 201, body: payable(order) }
}

function customerOf(store: Store, request: IncomingMessage): Customer {
  const token = sessionOf(request)
  return orPlainProblem(401, () => requireCustomer(store, token))
}

// Sent with the order, the id keeps one that is sent twice from being placed twice.
function cartAnswer(store: Store, cart: Cart): Answer {
  return { status: 200, body: { ...presentCart(cart), requestId: store.newToken() } }
}

function payable(order: Order) {
  return { ...presentOrder(order), paymentCode: order.paidAt === null ? order.paymentCode : null }
}
