import type { ErrorCode, JsonObject } from '@svc/contract'
import type { ComponentBook } from './component-book.ts'
import { named } from './request-body.ts'
import { examplesOf } from './schema-examples.ts'
import type { Header, MediaType, Reference, Response, Schema } from './types.ts'

export const HEADERS = {
  RequestId: {
    description: 'The id of the request. Name it when you report a fault.',
    schema: { type: 'string' },
  },
  RateLimitLimit: {
    description: 'How many calls a minute the broker takes for this runtime.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'How many of them are left.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'In how many seconds all of them are there again.',
    schema: { type: 'integer', minimum: 0 },
  },
  RetryAfter: {
    description: 'In how many seconds a further try can succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
} satisfies Record<string, Header>

type HeaderName = keyof typeof HEADERS

const EVERY: Record<string, HeaderName> = { 'x-request-id': 'RequestId' }
const RATE: Record<string, HeaderName> = {
  ...EVERY,
  'RateLimit-Limit': 'RateLimitLimit',
  'RateLimit-Remaining': 'RateLimitRemaining',
  'RateLimit-Reset': 'RateLimitReset',
}

const MESSAGE = { type: 'string', description: 'What is wrong, and what to do about it.' }
const DURATION = { type: 'number', minimum: 0, description: 'Milliseconds, as the control plane measured them.' }
const EXECUTION_ID = {
  type: 'string',
  description: 'The id of the call, `exec_…`. The operator finds its trace by it.',
}
const EXAMPLE_ID = 'exec_1BnTtEXAMPLErun01'

/** The answer of a call that worked. `output` is its schema as the document has it, `outputSchema` as the owner wrote it. */
export function success(output: Schema, outputSchema: JsonObject | undefined): Response {
  const schema = wholeObject({ executionId: EXECUTION_ID, output, durationMs: DURATION })
  const outputs = outputSchema ? examplesOf(outputSchema) : []
  const bodies = outputs.map((value) => ({ executionId: EXAMPLE_ID, output: value, durationMs: 84 }))
  return response('The capability’s output.', schema, { headers: RATE, ...named(bodies) })
}

/** What else a capability may answer, by status: references to {@link sharedResponses}. */
export function refusalsOf({ requiresEndUser }: { readonly requiresEndUser: boolean }): Record<string, Reference> {
  const byStatus = Object.entries({
    400: 'BadRequest',
    ...(requiresEndUser && { 401: 'EndUserRequired' }),
    404: 'NotFound',
    429: 'TooManyRequests',
    500: 'InternalError',
    502: 'CapabilityFailed',
  })
  return Object.fromEntries(byStatus.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]))
}

/** The answers that capabilities share. Their bodies become components of the same names. */
export function sharedResponses(book: ComponentBook, { hasEndUsers }: { readonly hasEndUsers: boolean }) {
  const fieldErrors = { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }
  const details = wholeObject({ fieldErrors: { ...fieldErrors, description: 'Messages by dotted field path.' } })
  const failure = wholeObject({
    executionId: EXECUTION_ID,
    error: wholeObject({ message: { type: 'string', description: 'What went wrong, in the words of its owner.' } }),
    durationMs: DURATION,
  })
  const described = {
    BadRequest: { says: 'The request is not valid.', body: refusal('validation_error', { details }), headers: RATE },
    ...(hasEndUsers && {
      EndUserRequired: { says: 'Send `endUserToken`.', body: refusal('unauthorized'), headers: RATE },
    }),
    NotFound: { says: 'The capability cannot be called.', body: refusal('not_found'), headers: EVERY },
    TooManyRequests: {
      says: 'A rate limit or an allowance is used up: the message says which.',
      body: refusal('rate_limit_exceeded'),
      headers: { ...RATE, 'Retry-After': 'RetryAfter' } satisfies Record<string, HeaderName>,
    },
    InternalError: { says: 'A fault of the control plane.', body: refusal('internal_error'), headers: RATE },
    CapabilityFailed: { says: 'The capability was called, and failed.', body: failure, headers: RATE },
  }
  const responses = Object.entries(described).map(([name, { says, body, headers }]): [string, Response] => {
    book.define(book.reserve(name), body)
    return [name, response(says, { $ref: `#/components/schemas/${name}` }, { headers })]
  })
  return Object.fromEntries(responses)
}

function refusal(code: ErrorCode, more: Readonly<Record<string, Schema>> = {}): Schema {
  return wholeObject({ error: wholeObject({ code: { type: 'string', const: code }, message: MESSAGE, ...more }) })
}

// All of its properties are always there. It takes others, too: answers may gain some.
function wholeObject(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

type Extras = Pick<MediaType, 'examples'> & { readonly headers: Readonly<Record<string, HeaderName>> }

function response(description: string, schema: Schema, { headers, ...examples }: Extras): Response {
  const references = Object.entries(headers).map(([name, header]) => [name, { $ref: `#/components/headers/${header}` }])
  return {
    description,
    headers: Object.fromEntries(references),
    content: { 'application/json': { schema, ...examples } },
  }
}
