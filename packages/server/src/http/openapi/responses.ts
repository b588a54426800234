import { ErrorBody } from '@svc/contract'
import { z } from 'zod'
import { type AppError, forbidden, internal, invalidField, limited, notFound, unauthorized } from '../../errors.ts'
import { examplesOf } from './examples/examples.ts'
import { STREAM_EXAMPLE } from './examples/executions.ts'
import { type Answer, type Operation, zodPart } from './operations.ts'
import type { SchemaBook } from './schema-book.ts'
import type { Header, Reference, ResponseObject } from './types.ts'

/** The headers that answers carry, by the name of their component. */
export const HEADERS = {
  RequestId: {
    description: 'The id of the request: the caller’s own `x-request-id` where it is well-formed, a new one otherwise.',
    schema: { type: 'string' },
    example: '5f0c7f5e-0c0a-4f5b-9d51-6a3f0e3b7c11',
  },
  RetryAfter: {
    description: 'In how many seconds a further try can succeed.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  RateLimitLimit: {
    description:
      'How many requests to this runtime a minute takes. Sent by routes with a rate limit, once key and origin are right.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  RateLimitRemaining: {
    description: 'How many of them the server that answers still takes.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  RateLimitReset: {
    description: 'In how many seconds all of them are there again.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  ETag: {
    description: 'Names this very content; send it back as `If-None-Match`.',
    schema: { type: 'string' },
    example: '"k1qRzhWk8sN0b3m4lB1yYpVvJmD8kq2m9dZ1ExAmPlE"',
  },
  CacheControl: {
    description: 'How long the answer may be kept.',
    schema: { type: 'string' },
    example: 'public, max-age=0, s-maxage=300',
  },
} satisfies Record<string, Header>

type HeaderName = keyof typeof HEADERS

const EVERY: Record<string, HeaderName> = { 'x-request-id': 'RequestId' }
const RATE: Record<string, HeaderName> = {
  'RateLimit-Limit': 'RateLimitLimit',
  'RateLimit-Remaining': 'RateLimitRemaining',
  'RateLimit-Reset': 'RateLimitReset',
}
const CACHED: Record<string, HeaderName> = { ETag: 'ETag', 'Cache-Control': 'CacheControl' }

interface Refusal {
  component: string
  description: string
  example: AppError
}

/** The refusals and faults that all operations share, by status. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: {
    component: 'BadRequest',
    description: 'The request is not valid. `details.fieldErrors` names each failing field.',
    example: invalidField('name', 'is required (string).'),
  },
  401: {
    component: 'Unauthorized',
    description:
      'One answer for every credential that is missing, malformed, unknown, expired, revoked, or another plane’s.',
    example: unauthorized(),
  },
  403: {
    component: 'Forbidden',
    description: 'The caller is known, and may not do this: the message says why.',
    example: forbidden('Your plan allows 1 runtime. Upgrade it, or register an existing runtime again.'),
  },
  404: {
    component: 'NotFound',
    description: 'What the request names does not exist, or belongs to somebody else.',
    example: notFound('The runtime'),
  },
  429: {
    component: 'TooManyRequests',
    description: 'A rate limit or an allowance is used up, or the service has too much to do: the message says which.',
    example: limited('Too many requests to this runtime in the last minute.', 12_000),
  },
  500: {
    component: 'InternalError',
    description: 'A fault of ours. The request id helps to find it.',
    example: internal(null),
  },
}

const SENTENCES: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  303: 'Go on there.',
  304: 'What the caller has is still current.',
  502: 'The capability was called, and failed.',
}

/** The shared refusals, as components. */
export function refusalComponents(book: SchemaBook): Record<string, ResponseObject> {
  const schema = book.describe({ schema: ErrorBody, direction: 'output' })
  const entries = Object.entries(REFUSALS).map(([status, { component, description, example }]) => {
    const headers = headersOf(status === '429' ? { ...EVERY, 'Retry-After': 'RetryAfter', ...RATE } : EVERY)
    const examples = { refusal: { value: example.toBody() } }
    return [component, { description, headers, content: { 'application/json': { schema, examples } } }]
  })
  return Object.fromEntries(entries)
}

/** Everything that an operation may answer: what it says of itself, and what follows from its plane and its shape. */
export function responsesOf(operation: Operation, book: SchemaBook): Record<string, ResponseObject | Reference> {
  const statuses = new Set([...operation.answers.map(({ status }) => status), ...impliedStatuses(operation)])
  const inOrder = Array.from(statuses).sort((a, b) => a - b)
  return Object.fromEntries(inOrder.map((status) => [String(status), responseOf(operation, status, book)]))
}

function responseOf(operation: Operation, status: number, book: SchemaBook): ResponseObject | Reference {
  const answers = operation.answers.filter((answer) => answer.status === status)
  const refusal = REFUSALS[status]
  const isShared = answers.every(({ body }) => body === ErrorBody)
  if (refusal && isShared) return { $ref: `#/components/responses/${refusal.component}` }
  const content = Object.fromEntries([
    ...answers.flatMap((answer) => mediaOf(answer, book)),
    ...(status === 200 ? streamOf(operation, book) : []),
  ])
  return {
    description: SENTENCES[status] ?? `Status ${status}.`,
    headers: headersOf({ ...EVERY, ...(operation.isRateLimited && RATE), ...(isCached(operation, status) && CACHED) }),
    ...(Object.keys(content).length > 0 && { content }),
  }
}

function mediaOf({ mediaType, body }: Answer, book: SchemaBook) {
  if (body === null) return []
  return [[mediaType, { schema: book.describe({ schema: body, direction: 'output' }), examples: examplesOf(body) }]]
}

function streamOf({ schema }: Operation, book: SchemaBook) {
  const events = zodPart(schema.events)
  if (!events) return []
  const contentSchema = book.describe({ schema: events, direction: 'output' })
  const description = 'Server-sent events. Each one’s `data` is one JSON object that repeats its name under `type`.'
  const described = { type: 'string', description, contentMediaType: 'application/json', contentSchema }
  return [['text/event-stream', { schema: described, examples: { stream: { value: STREAM_EXAMPLE } } }]]
}

function isCached({ answers }: Operation, status: number): boolean {
  return status < 400 && answers.some((answer) => answer.status === 304)
}

/** Every request can be malformed, every handler can fail, and all but health is refused where there is too much of it. */
function impliedStatuses(operation: Operation): number[] {
  const { plane, method } = operation
  const isChangeByOwner = plane === 'owner' && method !== 'get'
  return [
    400,
    500,
    ...(plane === 'public' ? [] : [401]),
    ...(plane === 'public-key' || isChangeByOwner ? [403] : []),
    ...(namesSomething(operation) ? [404] : []),
    ...(operation.isHealth ? [] : [429]),
  ]
}

const NAMES_SOMETHING = ['runtimeId', 'projectId', 'checkoutId', 'capability']

function namesSomething({ path, schema }: Operation): boolean {
  if (path.includes('/:')) return true
  const parts = [schema.body, schema.querystring].filter((part) => part instanceof z.ZodObject)
  return parts.some(({ shape }) => NAMES_SOMETHING.some((name) => name in shape))
}

function headersOf(headers: Record<string, HeaderName>): Record<string, Reference> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  )
}
