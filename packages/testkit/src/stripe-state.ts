import { randomBytes } from 'node:crypto'

export interface StripeSession {
  id: string
  object: 'checkout.session'
  url: string | null
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid'
  subscription: string | null
  amount_total: number
  metadata: Readonly<Record<string, string>>
  /** What its subscription will have for metadata; not in Stripe's own form of a session. */
  subscriptionMetadata: Readonly<Record<string, string>>
}

interface StripeSubscription {
  id: string
  object: 'subscription'
  status: 'active' | 'canceled'
  metadata: Readonly<Record<string, string>>
}

/** An event as Stripe would send it. */
export interface StripeEvent {
  id: string
  object: 'event'
  type: string
  data: { object: unknown }
}

export interface StripeAnswer {
  status: number
  body: unknown
}

interface StripeRequest {
  method: string
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  fields: Readonly<Record<string, string>>
}

export interface StripeState {
  answer(request: StripeRequest): StripeAnswer
  sessions: ReadonlyMap<string, StripeSession>
  /** The payer pays: the session is complete and its subscription begins. Throws when it is not open. */
  pay(sessionId: string): StripeEvent
  /** The payer is done and the money is still to come, as with a bank debit. */
  complete(sessionId: string): StripeEvent
  /** The money of a completed session has come, or will not. */
  receive(sessionId: string): StripeEvent
  failPayment(sessionId: string): StripeEvent
  /** The session's time has run out. */
  expire(sessionId: string): StripeEvent
  /** The subscription of a paid session is over. */
  endSubscription(sessionId: string): StripeEvent
}

/** What the double knows, without the HTTP around it. */
export function createStripeState(): StripeState {
  const book: Book = { sessions: new Map(), subscriptions: new Map(), created: new Map() }
  return { sessions: book.sessions, answer: (request) => answer(book, request), ...payerActions(book) }
}

interface Book {
  sessions: Map<string, StripeSession>
  subscriptions: Map<string, StripeSubscription>
  /** The recorded answers, by idempotency key. */
  created: Map<string, StripeAnswer>
}

function answer(book: Book, request: StripeRequest): StripeAnswer {
  const [, id = '', action] = /^\/v1\/checkout\/sessions(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(request.path) ?? []
  if (request.path === '/v1/checkout/sessions' && request.method === 'POST') return create(book, request)
  if (id !== '' && action === 'expire' && request.method === 'POST') return expire(book, id)
  if (id !== '' && action === undefined && request.method === 'GET') return retrieve(book, id, request.fields)
  const [, subscription = ''] = /^\/v1\/subscriptions\/([^/]+)$/.exec(request.path) ?? []
  if (subscription !== '' && request.method === 'DELETE') return cancel(book, subscription)
  return refusal(404, `Unrecognized request URL (${request.method}: ${request.path}).`)
}

function create(book: Book, { headers, fields }: StripeRequest): StripeAnswer {
  const key = String(headers['idempotency-key'] ?? newId('key'))
  const known = book.created.get(key)
  if (known) return known
  const problem = problemWith(fields)
  if (problem) return refusal(400, problem)
  const session = newSession(fields)
  book.sessions.set(session.id, session)
  const created = { status: 200, body: session }
  book.created.set(key, created)
  return created
}

function retrieve(book: Book, id: string, fields: StripeRequest['fields']): StripeAnswer {
  const session = book.sessions.get(id)
  if (!session) return refusal(404, `No such checkout.session: ${id}`)
  const isExpanded = Object.entries(fields).some(([name, value]) => /^expand/.test(name) && value === 'subscription')
  const subscription = book.subscriptions.get(session.subscription ?? '')
  return { status: 200, body: isExpanded && subscription ? { ...session, subscription } : session }
}

function cancel(book: Book, id: string): StripeAnswer {
  const subscription = book.subscriptions.get(id)
  if (subscription?.status !== 'active') return refusal(404, `No such subscription: '${id}'`)
  const ended = { ...subscription, status: 'canceled' } as const
  book.subscriptions.set(id, ended)
  return { status: 200, body: ended }
}

function expire(book: Book, id: string): StripeAnswer {
  if (book.sessions.get(id)?.status !== 'open') {
    return refusal(400, 'Only Checkout Sessions with a status in ["open"] can be expired.')
  }
  return { status: 200, body: change(book, id, { from: 'open', to: { status: 'expired', url: null } }) }
}

// What people and banks do, and the event that Stripe sends of it.
function payerActions(book: Book): Omit<StripeState, 'answer' | 'sessions'> {
  return {
    pay: (id) => event('checkout.session.completed', complete(book, id, 'paid')),
    complete: (id) => event('checkout.session.completed', complete(book, id, 'unpaid')),
    receive: (id) => {
      const session = change(book, id, { from: 'complete', to: { payment_status: 'paid' } })
      return event('checkout.session.async_payment_succeeded', session)
    },
    failPayment: (id) => event('checkout.session.async_payment_failed', change(book, id, { from: 'complete', to: {} })),
    expire: (id) => {
      const session = change(book, id, { from: 'open', to: { status: 'expired', url: null } })
      return event('checkout.session.expired', session)
    },
    endSubscription(id) {
      const subscription = book.subscriptions.get(book.sessions.get(id)?.subscription ?? '')
      if (!subscription) throw new Error(`the session ${id} has no subscription`)
      const ended = { ...subscription, status: 'canceled' } as const
      book.subscriptions.set(ended.id, ended)
      return event('customer.subscription.deleted', ended)
    },
  }
}

function complete(book: Book, id: string, paymentStatus: StripeSession['payment_status']): StripeSession {
  const subscription = newId('sub')
  const to = { status: 'complete', payment_status: paymentStatus, subscription, url: null } as const
  const session = change(book, id, { from: 'open', to })
  const { subscriptionMetadata: metadata } = session
  book.subscriptions.set(subscription, { id: subscription, object: 'subscription', status: 'active', metadata })
  return session
}

function change(
  book: Book,
  id: string,
  { from, to }: { from: StripeSession['status']; to: Partial<StripeSession> },
): StripeSession {
  const session = book.sessions.get(id)
  if (session?.status !== from) throw new Error(`the session ${id} is ${session?.status ?? 'unknown'}`)
  const changed = { ...session, ...to }
  book.sessions.set(id, changed)
  return changed
}

const LINE = 'line_items[0]'

function newSession(fields: StripeRequest['fields']): StripeSession {
  const id = newId('cs_test')
  return {
    id,
    object: 'checkout.session',
    url: `https://checkout.stripe.test/c/pay/${id}`,
    status: 'open',
    payment_status: 'unpaid',
    subscription: null,
    amount_total: Number(fields[`${LINE}[price_data][unit_amount]`]) * Number(fields[`${LINE}[quantity]`]),
    metadata: bracketed(fields, 'metadata'),
    subscriptionMetadata: bracketed(fields, 'subscription_data[metadata]'),
  }
}

// `metadata[a]=1` and `metadata[b]=2` → `{a: 1, b: 2}`.
function bracketed(fields: StripeRequest['fields'], name: string): Record<string, string> {
  const entries = Object.entries(fields).flatMap(([path, value]) => {
    const isInside = path.startsWith(`${name}[`) && path.endsWith(']')
    return isInside ? [[path.slice(name.length + 1, -1), value]] : []
  })
  return Object.fromEntries(entries)
}

const REQUIRED = [
  'success_url',
  'cancel_url',
  `${LINE}[quantity]`,
  `${LINE}[price_data][currency]`,
  `${LINE}[price_data][unit_amount]`,
  `${LINE}[price_data][recurring][interval]`,
  `${LINE}[price_data][product_data][name]`,
]

function problemWith(fields: StripeRequest['fields']): string | null {
  if (fields['mode'] !== 'subscription') return 'The double only opens sessions in subscription mode.'
  const missing = REQUIRED.find((name) => !fields[name])
  return missing === undefined ? null : `Missing required param: ${missing}.`
}

function event(type: string, object: unknown): StripeEvent {
  return { id: newId('evt'), object: 'event', type, data: { object } }
}

function refusal(status: number, message: string): StripeAnswer {
  return { status, body: { error: { type: 'invalid_request_error', message } } }
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}
