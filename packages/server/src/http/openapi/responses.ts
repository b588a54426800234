import { ErrorBody } from '@svc/contract'
import { z } from 'zod'
import { type AppError, forbidden, internal, invalidField, limited, notFound, unauthorized } from '../../errors.ts'
import { STREAM_EXAMPLE } from '../sse.ts'
import type { Operation } from './operations.ts'
import type { SchemaBook } from './schemas.ts'

const COUNT = { type: 'integer', minimum: 0 }
const POSITIVE = { type: 'integer', minimum: 1 }
const TEXT = { type: 'string' }

/** The headers that responses refer to, by the name of their component: the name on the wire, schema and description. */
const HEADERS = {
  RequestId: ['x-request-id', TEXT, 'The id of the request: the caller’s own where it is well-formed.'],
  RetryAfter: ['Retry-After', POSITIVE, 'In how many seconds a further try can succeed.'],
  RateLimitLimit: ['RateLimit-Limit', POSITIVE, 'How many requests to this runtime a minute takes.'],
  RateLimitRemaining: ['RateLimit-Remaining', COUNT, 'How many of them the server that answers still takes.'],
  RateLimitReset: ['RateLimit-Reset', COUNT, 'In how many seconds all of them are there again.'],
  ETag: ['ETag', TEXT, 'Names this very content; send it back as `If-None-Match`.'],
  CacheControl: ['Cache-Control', TEXT, 'How long the answer may be kept.'],
} as const
const RATE = ['RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset'] as const

/** The errors that all operations share, by status: the component's name, an example, a description. */
const ERRORS: Readonly<Record<string, readonly [name: string, example: AppError, description: string]>> = {
  400: ['BadRequest', invalidField('name', 'is required (string).'), '`details.fieldErrors` names each failing field.'],
  401: ['Unauthorized', unauthorized(), 'No credential, or one that is not valid on this plane.'],
  403: ['Forbidden', forbidden('Your plan allows 1 runtime.'), 'The caller may not do this: the message says why.'],
  404: ['NotFound', notFound('The runtime'), 'It does not exist, or belongs to another account.'],
  429: ['TooManyRequests', limited('Too many requests.', 12_000), 'A limit is reached: the message says which.'],
  500: ['InternalError', internal(null), 'A fault of the service. The request id helps to find it.'],
}

const STATUS_DESCRIPTIONS: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  304: 'Not modified.',
  502: 'The call failed.',
}

/** Request fields that name a resource: an operation with one of them can answer 404. */
const RESOURCE_FIELDS = ['runtimeId', 'projectId', 'checkoutId', 'capability']

export function sharedComponents(book: SchemaBook) {
  const schema = book.describe(ErrorBody, 'output')
  const responses = Object.entries(ERRORS).map(([status, [name, example, description]]) => {
    const headers = status === '429' ? referTo('RequestId', 'RetryAfter', ...RATE) : referTo('RequestId')
    const media = { schema, examples: { refusal: { value: example.toBody() } } }
    return [name, { description, headers, content: { 'application/json': media } }] as const
  })
  const headers = Object.entries(HEADERS).map(([name, [, schema, description]]) => [name, { schema, description }])
  return { responses: Object.fromEntries(responses), headers: Object.fromEntries(headers) }
}

/** All responses of an operation, by status: those that its schema names, and those that its plane and shape imply. */
export function responsesOf(operation: Operation, book: SchemaBook) {
  const statuses = [...Object.keys(operation.answers), ...impliedStatuses(operation)]
  return Object.fromEntries(statuses.map((status) => [status, responseOf(operation, status, book)]))
}

function responseOf({ answers, config, schema }: Operation, status: string, book: SchemaBook) {
  const body = answers[status] ?? ErrorBody
  const [shared] = ERRORS[status] ?? []
  if (shared && body === ErrorBody) return { $ref: `#/components/responses/${shared}` }
  const cache = '304' in answers && Number(status) < 400 ? (['ETag', 'CacheControl'] as const) : []
  const headers = referTo('RequestId', ...(config.isRateLimited ? RATE : []), ...cache)
  const description = STATUS_DESCRIPTIONS[status] ?? `Status ${status}.`
  const json = !(body instanceof z.ZodVoid) && { 'application/json': { schema: book.describe(body, 'output') } }
  const stream = schema.events && status === '200' && streamOf(schema.events, book)
  if (!json && !stream) return { description, headers }
  return { description, headers, content: { ...json, ...stream } }
}

function streamOf(events: z.ZodType, book: SchemaBook) {
  const schema = {
    type: 'string',
    description: 'Server-sent events. Each one’s `data` is one JSON object that repeats its name under `type`.',
    contentMediaType: 'application/json',
    contentSchema: book.describe(events, 'output'),
  }
  return { 'text/event-stream': { schema, examples: { stream: { value: STREAM_EXAMPLE } } } }
}

// A read for viewers refuses no role, and a cookie needs no origin for it: it answers no 403.
function impliedStatuses({ plane, method, path, schema, config }: Operation): string[] {
  const fields = [schema.body, schema.querystring].flatMap((part) => Object.keys(Object(part).shape ?? {}))
  const namesResource = path.includes('/:') || fields.some((field) => RESOURCE_FIELDS.includes(field))
  return [
    ...['400', '500'],
    ...(plane === 'public' ? [] : ['401']),
    ...(plane === 'public-key' || (plane === 'owner' && (method !== 'get' || config.leastRole !== 'viewer'))
      ? ['403']
      : []),
    ...(namesResource ? ['404'] : []),
    ...(config.load === 'health' ? [] : ['429']),
  ]
}

function referTo(...names: (keyof typeof HEADERS)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [HEADERS[name][0], { $ref: `#/components/headers/${name}` }]))
}
