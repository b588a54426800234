import { createHmac } from 'node:crypto'
import { isJsonObject } from '@svc/contract'
import { composeExample } from '@svc/testkit'
import { z } from 'zod'
import type { Random } from '../../support/random.ts'
import type { Manner } from './judge-answer.ts'
import { jsonRequest, type RawAnswer, type RawRequest } from './raw.ts'

const PLANES = z.enum(['publicKey', 'deployKey', 'accountKey'])
export type Plane = z.infer<typeof PLANES> | 'public'

/** One operation of the live description. */
export interface ApiOperation {
  operationId: string
  method: string
  /** With its parameters in braces. */
  path: string
  plane: Plane
  queryParameters: readonly string[]
  /** A body as it is documented; undefined where it takes none. */
  example: unknown
}

const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z.array(z.object({ in: z.string(), name: z.string() })).default([]),
  requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) }).optional(),
})

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})

export function readOperations(document: unknown): ApiOperation[] {
  const { paths, components } = Document.parse(document)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters, requestBody }]) => {
      const [scheme] = Object.keys(security[0] ?? {})
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        plane: scheme === undefined ? 'public' : PLANES.parse(scheme),
        queryParameters: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
        example: requestBody && composeExample(requestBody.content['application/json'].schema, components.schemas),
      } as const
    }),
  )
}

/** The ids that good requests of one caller name, and the credentials that open what they ask for. */
export interface Scenery {
  keys: Readonly<Record<Plane, string | undefined>>
  /** By the name of a path parameter or a field. */
  values: ReadonlyMap<string, string>
}

/** One route behind one kind of credential, and a good request to it. */
export interface Target {
  name: string
  port: number
  queryParameters: readonly string[]
  manner: Manner
  mayFailAsCapability: boolean
  /** Its credential is a cookie, which a browser sends for every page. */
  isByCookie: boolean
  request(scenery: Scenery, random: Random): RawRequest
  /** Told of each answer and of what was sent, where the next request depends on it. */
  hear?(request: RawRequest, answer: RawAnswer): void
}

/** The operations of the description, each with the credential that it names. */
export function apiTargets(operations: readonly ApiOperation[], port: number): Target[] {
  return operations.map((operation) => ({
    ...ofOperation(operation, port),
    name: operation.operationId,
    isByCookie: false,
    request(scenery, random) {
      const key = random.chance(0.85) ? scenery.keys[operation.plane] : drawKey(scenery, random)
      return goodRequest(operation, scenery, { key })
    },
  }))
}

export function ofOperation({ operationId, queryParameters }: ApiOperation, port: number) {
  return { port, queryParameters, manner: 'envelope', mayFailAsCapability: operationId === 'callCapability' } as const
}

/** A request as the description has it, with the caller's own ids. */
export function goodRequest(
  { method, example, path }: Omit<ApiOperation, 'queryParameters'>,
  scenery: Scenery,
  credential: { key?: string | undefined; headers?: RawRequest['headers'] },
): RawRequest {
  const body = example === undefined ? {} : { body: ownBody(example, scenery) }
  const headers = [...(credential.headers ?? []), ...keyHeaders(path, scenery)]
  return jsonRequest(method, fillPath(path, scenery), { key: credential.key, headers, ...body })
}

/** The keys of an approval and of a streamed execution, which travel in headers of their own. */
function keyHeaders(path: string, { values }: Scenery): [string, string][] {
  const keys = { 'x-svc-approval-key': 'approvalKey', 'x-svc-resume-key': 'resumeKey' }
  return Object.entries(keys).flatMap(([header, name]) => {
    const value = /\{(approval|execution)Id\}/.test(path) ? values.get(name) : undefined
    return value === undefined ? [] : [[header, value] as [string, string]]
  })
}

/** A credential of another plane, none, or one that never was. */
function drawKey({ keys: { accountKey, deployKey, publicKey } }: Scenery, random: Random): string | undefined {
  const cut = accountKey?.slice(0, -1)
  return random.pick([undefined, accountKey, deployKey, publicKey, cut, `${deployKey}x`, 'x', 'svc_ak_', 'a b'])
}

function ownBody(example: unknown, scenery: Scenery): unknown {
  if (Array.isArray(example)) return example.map((item) => ownBody(item, scenery))
  if (!isJsonObject(example)) return example
  const own = (name: string, value: unknown) =>
    typeof value === 'string' ? (scenery.values.get(name) ?? value) : ownBody(value, scenery)
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, own(name, value)]))
}

/** Throws where nothing is known that could stand for a parameter. */
function fillPath(path: string, { values }: Scenery): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // In a body the name means something else.
    const value = name === 'version' ? '1' : values.get(name)
    if (value === undefined) throw new Error(`nothing to put for {${name}} of ${path}: extend the scenery`)
    return value
  })
}

/** Of the server with a payment provider. */
export const WEBHOOK_SECRET = 'whsec_lab'

type Door = 'service' | 'operations' | 'paid'
type Content = (scenery: Scenery, random: Random) => { body: Buffer; headers: RawRequest['headers'] }

const CHECKOUT = '/v1/billing/test-checkout/{testCheckoutId}'

/** Routes beside the description: for browsers, for the payment provider and for operators. */
const HIDDEN_ROUTES: readonly (readonly [string, Door, Manner, string, Content?])[] = [
  ['dashboard page', 'service', 'files', '/dashboard'],
  ['dashboard address', 'service', 'files', '/dashboard/runtimes/{runtimeId}'],
  ['dashboard file', 'service', 'files', '/dashboard/{dashboardFile}'],
  ['widget', 'service', 'files', '/widget.js'],
  ['reference page', 'service', 'files', '/docs'],
  ['reference file', 'service', 'files', '/docs/reference.css'],
  ['test checkout', 'service', 'envelope', CHECKOUT],
  ['confirm test checkout', 'service', 'envelope', `${CHECKOUT}/confirm`, formOf],
  ['cancel test checkout', 'service', 'envelope', `${CHECKOUT}/cancel`, formOf],
  ['webhook', 'paid', 'envelope', '/v1/billing/webhook', signedEvent],
  ['live', 'operations', 'plain', '/live'],
  ['ready', 'operations', 'plain', '/ready'],
  ['metrics', 'operations', 'plain', '/metrics'],
]

export function hiddenTargets(ports: Readonly<Record<Door, number>>): Target[] {
  return HIDDEN_ROUTES.map(([name, door, manner, path, content]) => ({
    name,
    port: ports[door],
    queryParameters: [],
    manner,
    mayFailAsCapability: false,
    isByCookie: false,
    request(scenery, random) {
      const { body = null, headers = [] } = content?.(scenery, random) ?? {}
      return { ...jsonRequest(content ? 'POST' : 'GET', fillPath(path, scenery), { headers }), body }
    },
  }))
}

function formOf({ values }: Scenery, random: Random) {
  const token = random.chance(0.85) ? values.get('testCheckoutToken') : random.pick(['', 'x', undefined])
  const body = Buffer.from(token === undefined ? 'other=1' : new URLSearchParams({ token }).toString())
  return { body, headers: [['content-type', 'application/x-www-form-urlencoded']] } as const
}

/** Of a payment that this service does not know. */
function signedEvent(_scenery: Scenery, random: Random) {
  const object = { id: `cs_${random.int(1, 1_000_000)}`, payment_status: 'paid', subscription: null, metadata: {} }
  const session = 'checkout.session.'
  const type = random.pick([
    `${session}completed`,
    `${session}expired`,
    'customer.subscription.deleted',
    'customer.created',
  ])
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } }))
  const time = Math.floor(Date.now() / 1000) - (random.chance(0.9) ? 0 : 3_600)
  const secret = random.chance(0.9) ? WEBHOOK_SECRET : 'whsec_other'
  const signature = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  const headers = [
    ['content-type', 'application/json; charset=utf-8'],
    ['stripe-signature', `t=${time},v1=${signature}`],
  ] as const
  return { body, headers }
}
