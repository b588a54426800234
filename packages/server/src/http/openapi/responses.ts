import { ErrorBody } from '@svc/contract'
import { z } from 'zod'
import { type AppError, forbidden, internal, invalidField, limited, notFound, unauthorized } from '../../errors.ts'
import { STREAM_EXAMPLE } from './examples.ts'
import type { Operation } from './operations.ts'
import type { SchemaBook } from './schemas.ts'

export interface ResponseObject {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>
}

const COUNT = { type: 'integer', minimum: 0 }
const POSITIVE = { type: 'integer', minimum: 1 }
const TEXT = { type: 'string' }

const HEADERS = {
  'x-request-id': { schema: TEXT, description: 'The id of the request: the caller’s own where it is well-formed.' },
  'Retry-After': { schema: POSITIVE, description: 'In how many seconds a further try can succeed.' },
  'RateLimit-Limit': { schema: POSITIVE, description: 'How many requests to this runtime a minute takes.' },
  'RateLimit-Remaining': { schema: COUNT, description: 'How many of them the server that answers still takes.' },
  'RateLimit-Reset': { schema: COUNT, description: 'In how many seconds all of them are there again.' },
  ETag: { schema: TEXT, description: 'Names this very content; send it back as `If-None-Match`.' },
  'Cache-Control': { schema: TEXT, description: 'How long the answer may be kept.' },
}

const RATE = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const

/** The refusals and faults that all operations share, by status: component, example, description. */
const REFUSALS: Readonly<Record<string, readonly [name: string, example: AppError, description: string]>> = {
  400: ['BadRequest', invalidField('name', 'is required (string).'), '`details.fieldErrors` names each failing field.'],
  401: [
    'Unauthorized',
    unauthorized(),
    'The credential is missing, malformed, unknown, expired, revoked or of another plane.',
  ],
  403: ['Forbidden', forbidden('Your plan allows 1 runtime.'), 'The caller may not do this: the message says why.'],
  404: ['NotFound', notFound('The runtime'), 'What the request names does not exist, or belongs to another account.'],
  429: ['TooManyRequests', limited('Too many requests.', 12_000), 'A limit is reached: the message says which.'],
  500: ['InternalError', internal(null), 'A fault of the service. The request id helps to find it.'],
}

const SENTENCES: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  304: 'What the caller has is still current.',
  502: 'The capability was called, and failed.',
}

/** The parts of answers that operations share, as components. */
export function sharedAnswers(book: SchemaBook) {
  const schema = book.describe(ErrorBody, 'output')
  const responses = Object.entries(REFUSALS).map(([status, [name, example, description]]): [string, ResponseObject] => {
    const headers = referTo('x-request-id', ...(status === '429' ? (['Retry-After', ...RATE] as const) : []))
    const media = { schema, examples: { refusal: { value: example.toBody() } } }
    return [name, { description, headers, content: { 'application/json': media } }]
  })
  const headers = Object.entries(HEADERS).map(([header, described]) => [componentOf(header), described])
  return { responses: Object.fromEntries(responses), headers: Object.fromEntries(headers) }
}

/** Everything that an operation may answer: what it says of itself, and what follows from its plane and its shape. */
export function responsesOf(operation: Operation, book: SchemaBook): Record<string, ResponseObject | { $ref: string }> {
  const statuses = [...Object.keys(operation.answers), ...impliedStatuses(operation)]
  return Object.fromEntries(statuses.map((status) => [status, responseOf(operation, status, book)]))
}

function responseOf(operation: Operation, status: string, book: SchemaBook): ResponseObject | { $ref: string } {
  const { answers, config, schema } = operation
  const body = answers[status] ?? ErrorBody
  const [refusal] = REFUSALS[status] ?? []
  if (refusal && body === ErrorBody) return { $ref: `#/components/responses/${refusal}` }
  const isCached = '304' in answers && Number(status) < 400
  const headers = referTo(
    'x-request-id',
    ...(config.isRateLimited ? RATE : []),
    ...(isCached ? (['ETag', 'Cache-Control'] as const) : []),
  )
  const description = SENTENCES[status] ?? `Status ${status}.`
  if (body instanceof z.ZodVoid) return { description, headers }
  const media = { schema: book.describe(body, 'output') }
  const events = status === '200' ? schema.events : undefined
  const stream = events && { 'text/event-stream': eventsOf(book.describe(events, 'output')) }
  return { description, headers, content: { 'application/json': media, ...stream } }
}

function eventsOf(contentSchema: object) {
  const description = 'Server-sent events. Each one’s `data` is one JSON object that repeats its name under `type`.'
  const schema = { type: 'string', description, contentMediaType: 'application/json', contentSchema }
  return { schema, examples: { stream: { value: STREAM_EXAMPLE } } }
}

/** Every request can be malformed, every handler can fail, and all but health is refused where there is too much of it. */
function impliedStatuses({ plane, method, path, schema, config }: Operation): string[] {
  const isChangeByOwner = plane === 'owner' && method !== 'get'
  const fields = [schema.body, schema.querystring].flatMap((part) =>
    part instanceof z.ZodObject ? Object.keys(part.shape) : [],
  )
  const namesSomething = path.includes('/:') || fields.some((field) => NAMES.includes(field))
  return [
    '400',
    '500',
    ...(plane === 'public' ? [] : ['401']),
    ...(plane === 'public-key' || isChangeByOwner ? ['403'] : []),
    ...(namesSomething ? ['404'] : []),
    ...(config.load === 'health' ? [] : ['429']),
  ]
}

const NAMES = ['runtimeId', 'projectId', 'checkoutId', 'capability']

function referTo(...headers: (keyof typeof HEADERS)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(headers.map((header) => [header, { $ref: `#/components/headers/${componentOf(header)}` }]))
}

// RateLimit-Limit → RateLimitLimit, x-request-id → RequestId
function componentOf(header: string): string {
  return header.replace(/^x-/, '').replace(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase())
}
