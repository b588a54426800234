import { createHmac } from 'node:crypto'
import type { Random } from '../../support/random.ts'
import type { Manner } from '../support/judge-answer.ts'
import { jsonRequest, type RawRequest } from '../support/raw-request.ts'
import { fillPath, type Scenery } from './scenery.ts'
import type { Target } from './targets.ts'

/** Which of the ports a route is on: the service's, the operators', or that of a service with a payment provider. */
export type Door = 'service' | 'operations' | 'paid'

interface HiddenRoute {
  name: string
  door: Door
  method: 'GET' | 'POST'
  /** With what the scenery knows in braces. */
  path: string
  manner: Manner
  /** A good body, and the headers that go with it. */
  content?: (scenery: Scenery, random: Random) => { body: Buffer; headers: RawRequest['headers'] }
}

const CHECKOUT = '/v1/billing/test-checkout/{testCheckoutId}'
/** Of the server with a payment provider. */
export const WEBHOOK_SECRET = 'whsec_harness'

/** What the service answers beside its description: for browsers, for the payment provider and for operators. */
const HIDDEN_ROUTES: readonly HiddenRoute[] = [
  { name: 'dashboard page', door: 'service', method: 'GET', path: '/dashboard', manner: 'files' },
  {
    name: 'dashboard address',
    door: 'service',
    method: 'GET',
    path: '/dashboard/runtimes/{runtimeId}',
    manner: 'files',
  },
  { name: 'dashboard file', door: 'service', method: 'GET', path: '/dashboard/{dashboardFile}', manner: 'files' },
  { name: 'widget', door: 'service', method: 'GET', path: '/widget.js', manner: 'files' },
  { name: 'reference page', door: 'service', method: 'GET', path: '/docs', manner: 'files' },
  { name: 'reference file', door: 'service', method: 'GET', path: '/docs/reference.css', manner: 'files' },
  { name: 'test checkout', door: 'service', method: 'GET', path: CHECKOUT, manner: 'envelope' },
  {
    name: 'confirm test checkout',
    door: 'service',
    method: 'POST',
    path: `${CHECKOUT}/confirm`,
    manner: 'envelope',
    content: formOf,
  },
  {
    name: 'cancel test checkout',
    door: 'service',
    method: 'POST',
    path: `${CHECKOUT}/cancel`,
    manner: 'envelope',
    content: formOf,
  },
  {
    name: 'webhook',
    door: 'paid',
    method: 'POST',
    path: '/v1/billing/webhook',
    manner: 'envelope',
    content: signedEvent,
  },
  { name: 'live', door: 'operations', method: 'GET', path: '/live', manner: 'plain' },
  { name: 'ready', door: 'operations', method: 'GET', path: '/ready', manner: 'plain' },
  { name: 'metrics', door: 'operations', method: 'GET', path: '/metrics', manner: 'plain' },
]

export function hiddenTargets(ports: Readonly<Record<Door, number>>): Target[] {
  return HIDDEN_ROUTES.map(({ name, door, method, path, manner, content }) => ({
    name,
    port: ports[door],
    queryParameters: [],
    manner,
    mayFailAsCapability: false,
    isByCookie: false,
    request(scenery, random) {
      const { body, headers } = content?.(scenery, random) ?? { body: null, headers: [] }
      return { ...jsonRequest(method, fillPath(path, scenery, name), { headers }), body }
    },
  }))
}

function formOf({ values }: Scenery, random: Random) {
  const token = random.chance(0.85) ? values.get('testCheckoutToken') : random.pick(['', 'x', undefined])
  const body = Buffer.from(token === undefined ? 'other=1' : new URLSearchParams({ token }).toString())
  return { body, headers: [['content-type', 'application/x-www-form-urlencoded']] } as const
}

const EVENTS = [
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.subscription.deleted',
  'customer.created',
] as const

/** Of a payment that is nobody's here. What is changed on the way is not what was signed. */
function signedEvent(_scenery: Scenery, random: Random) {
  const object = { id: `cs_${random.int(1, 1_000_000)}`, payment_status: 'paid', subscription: null, metadata: {} }
  const event = { id: 'evt_1', object: 'event', type: random.pick(EVENTS), data: { object } }
  const body = Buffer.from(JSON.stringify(event))
  const at = Math.floor(Date.now() / 1000) - (random.chance(0.9) ? 0 : 3_600)
  const secret = random.chance(0.9) ? WEBHOOK_SECRET : 'whsec_other'
  const signature = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex')
  return {
    body,
    headers: [
      ['content-type', 'application/json; charset=utf-8'],
      ['stripe-signature', `t=${at},v1=${signature}`],
    ],
  } as const
}
