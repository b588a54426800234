import { ClientError, type ClientErrorKind } from './client-error.ts'
import { isRecord } from './read-json.ts'

const KINDS: Readonly<Record<number, ClientErrorKind>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
}

const LONGEST_WAIT_MS = 86_400_000

/** The error that an answer other than 2xx stands for. Reads its body. */
export async function readRefusal(response: Response, nowMs: number): Promise<ClientError> {
  const body: unknown = await response.json().catch(() => null)
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  const message = typeof error['message'] === 'string' ? error['message'] : `The service answered ${response.status}.`
  const kind = KINDS[response.status] ?? (response.status >= 500 ? 'unavailable' : 'malformed')
  return new ClientError(kind, message, {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), nowMs),
    fieldErrors: isRecord(error['details']) ? fieldErrors(error['details']['fieldErrors']) : null,
  })
}

/** `Retry-After` in milliseconds: whole seconds, or a date. Null when it says neither. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  // Dates begin with a weekday; engines read years into other texts, too.
  const date = /^[a-z]{3}/i.test(text) ? Date.parse(text) - nowMs : Number.NaN
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : date
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS)
}

function fieldErrors(value: unknown): Record<string, string[]> | null {
  if (!isRecord(value)) return null
  const entries = Object.entries(value).map(([field, messages]): [string, string[]] => [
    field,
    Array.isArray(messages) ? messages.filter((message) => typeof message === 'string') : [],
  ])
  return Object.fromEntries(entries)
}
