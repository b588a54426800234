import type { IncomingMessage } from 'node:http'
import { type Answer, RequestProblem, readJson } from '@svc/example-kit'
import { z } from 'zod'
import { presentOrder } from './capabilities/present-order.ts'
import { presentProduct } from './capabilities/present-product.ts'
import { addItem, createOrder, getCart, getOrders, removeItem, sessionOf } from './cart-api.ts'
import { orPlainProblem } from './plain-problem.ts'
import { CATEGORIES } from './store/catalogue/catalogue-entry.ts'
import type { Store } from './store/open-store.ts'
import { findPayment, type Order, payOrder } from './store/orders.ts'
import { listCategories, type Product, searchProducts } from './store/products.ts'
import { signIn, signOut } from './store/sessions.ts'

/** Where the shop’s page finds the control plane, and the key that the page may show to anybody. */
export interface PageConnection {
  baseUrl: string
  publicKey: string
}

export interface ApiDeps {
  store: Store
  /** Null until the shop has been registered. */
  pageConnection(): PageConnection | null
}

type Route = (deps: ApiDeps, request: IncomingMessage, query: URLSearchParams) => Answer | Promise<Answer>

/** The few routes that the shop’s own page needs, by method and path. */
export const SHOP_API: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['GET /api/products', getProducts],
  ['GET /api/connection', getConnection],
  ['POST /api/sessions', createSession],
  ['DELETE /api/sessions', deleteSession],
  ['GET /api/cart', getCart],
  ['POST /api/cart', addItem],
  ['DELETE /api/cart', removeItem],
  ['GET /api/orders', getOrders],
  ['POST /api/orders', createOrder],
  ['GET /api/payment', getPayment],
  ['POST /api/payment', payPayment],
])

const ProductQuery = z.object({ query: z.string().max(200).default(''), category: z.enum(CATEGORIES).optional() })

function getProducts({ store }: ApiDeps, _request: IncomingMessage, query: URLSearchParams): Answer {
  const search = ProductQuery.safeParse(Object.fromEntries(query))
  if (!search.success)
    throw new RequestProblem(400, `“category” must be one of ${CATEGORIES.join(', ')}; “query” short.`)
  const products = searchProducts(store, search.data).map(presentListed)
  return { status: 200, body: { products, categories: listCategories(store) } }
}

function presentListed(product: Product) {
  return { ...presentProduct(product), description: product.description }
}

function getConnection({ pageConnection }: ApiDeps): Answer {
  return { status: 200, body: pageConnection() }
}

const Credentials = z.object({ email: z.string().max(320), password: z.string().max(1000) })

async function createSession({ store }: ApiDeps, request: IncomingMessage): Promise<Answer> {
  const credentials = Credentials.safeParse(await readJson(request))
  if (!credentials.success) throw new RequestProblem(400, 'Please give an email address and a password.')
  const session = await signIn(store, credentials.data)
  if (!session) throw new RequestProblem(401, 'This email address and password do not belong together.')
  return { status: 201, body: session }
}

function deleteSession({ store }: ApiDeps, request: IncomingMessage): Answer {
  signOut(store, sessionOf(request))
  return { status: 200, body: { signedOut: true } }
}

const PaymentCode = z.object({ code: z.string().min(1).max(100) })

function getPayment({ store }: ApiDeps, _request: IncomingMessage, query: URLSearchParams): Answer {
  return paymentOf(Object.fromEntries(query), (code) => findPayment(store, code))
}

async function payPayment({ store }: ApiDeps, request: IncomingMessage): Promise<Answer> {
  return paymentOf(await readJson(request), (code) => payOrder(store, code))
}

function paymentOf(given: unknown, orderOf: (code: string) => Order): Answer {
  const payment = PaymentCode.safeParse(given)
  if (!payment.success) throw new RequestProblem(400, 'This payment link is not complete.')
  const order = orPlainProblem(404, () => orderOf(payment.data.code))
  const { orderNumber, items, shipping, total, payment: state } = presentOrder(order)
  return { status: 200, body: { orderNumber, items, shipping, total, isPaid: state === 'paid' } }
}
