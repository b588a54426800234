import { isJsonObject } from '@svc/contract'
import { APICallError } from 'ai'
import { parseJson } from '../lib/json-parse.ts'

// An error event in a stream has a name and no HTTP status: this is the status that the same error has before a stream.
const STATUSES: ReadonlyMap<string, number> = new Map([
  ...of(400, 'invalid_request_error', 'invalid_argument', 'failed_precondition', 'badrequesterror'),
  ...of(401, 'authentication_error', 'unauthenticated', 'invalid_api_key', 'authenticationerror'),
  ...of(402, 'billing_error', 'insufficient_credits'),
  ...of(403, 'permission_error', 'permission_denied', 'permissiondeniederror'),
  ...of(404, 'not_found_error', 'not_found', 'notfounderror', 'model_not_found'),
  ...of(408, 'timeout_error', 'deadline_exceeded'),
  ...of(413, 'request_too_large'),
  ...of(429, 'rate_limit_error', 'rate_limit_exceeded', 'resource_exhausted', 'insufficient_quota', 'ratelimiterror'),
  ...of(503, 'unavailable', 'service_unavailable'),
  ...of(529, 'overloaded_error', 'overloaded'),
])

function of(status: number, ...names: readonly string[]): [string, number][] {
  return names.map((name) => [name, status])
}

/** An answer with status 200 and no event, such as an HTML page or one JSON document. */
export class NotAnEventStreamError extends Error {
  override name = 'NotAnEventStreamError'

  constructor() {
    super('no event in the answer')
  }
}

/** The error that an event or a body of a provider reports, or null. */
export function errorIn(value: unknown): unknown {
  const [first] = Array.isArray(value) ? value : [value]
  if (!isJsonObject(first)) return null
  const { error, choices } = first
  if (error !== undefined && error !== null) return error
  if (first['object'] === 'error') return first
  // OpenRouter may put the error into the choice.
  const [choice] = Array.isArray(choices) ? choices : []
  return (isJsonObject(choice) ? choice['error'] : null) ?? null
}

/** An error that a body with status 200 reported, as if it had come with the status of its name, or 500. */
export function apiErrorFromBody(error: unknown): APICallError {
  return new APICallError({
    message: messageOf(error) ?? 'no message',
    url: '',
    requestBodyValues: {},
    statusCode: statusOf(error) ?? 500,
    responseBody: JSON.stringify({ error }),
  })
}

/** The AI SDK gives every error event the status 500: replaces it by that of the error's name. */
export function withNamedStatus(error: unknown): unknown {
  if (!APICallError.isInstance(error) || error.statusCode !== 500) return error
  const body = jsonIn(error.responseBody ?? '')
  const reported = errorIn(body) ?? body
  return statusOf(reported) === null ? error : apiErrorFromBody(reported)
}

/** The provider's message, for the log. */
export function messageOf(error: unknown): string | null {
  if (typeof error === 'string') return error
  const message = isJsonObject(error) ? error['message'] : null
  return typeof message === 'string' ? message : null
}

/** Null where the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

function statusOf(error: unknown): number | null {
  if (!isJsonObject(error)) return null
  for (const name of [error['code'], error['status'], error['status_code'], error['type']]) {
    const status = STATUSES.get(String(name).toLowerCase()) ?? Number(name)
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status
  }
  return null
}
