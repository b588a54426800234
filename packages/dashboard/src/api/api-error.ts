import { isRecord } from './is-record.ts'

/** Messages by dotted field path. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

interface ApiErrorFields {
  /** The envelope’s, or `unreachable` where no answer came. */
  code: string
  message: string
  fieldErrors?: FieldErrors
  /** When a further try can succeed. */
  retryAfterSeconds?: number | null
  /** What the service’s own log calls the request. */
  requestId?: string | null
}

/** A refusal of the API, as its one envelope says it. */
export class ApiError extends Error {
  readonly code: string
  readonly fieldErrors: FieldErrors
  readonly retryAfterSeconds: number | null
  /** The same as a time, epoch milliseconds. */
  readonly retryAt: number | null
  readonly requestId: string | null

  constructor({ code, message, fieldErrors = {}, retryAfterSeconds = null, requestId = null }: ApiErrorFields) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.fieldErrors = fieldErrors
    this.retryAfterSeconds = retryAfterSeconds
    this.retryAt = retryAfterSeconds === null ? null : Date.now() + retryAfterSeconds * 1000
    this.requestId = requestId
  }
}

/** Reads a refusal. What is no envelope, from a proxy perhaps, becomes a sentence with its status. */
export function toApiError(response: Response, body: unknown): ApiError {
  const requestId = response.headers.get('x-request-id')
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  const common = { requestId, retryAfterSeconds: Number.isFinite(wait) ? wait : null }
  const error = member(body, 'error')
  const [code, message] = [member(error, 'code'), member(error, 'message')]
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new ApiError({
      ...common,
      code: 'unreadable',
      message: `The service answered with status ${response.status}.`,
    })
  }
  return new ApiError({ ...common, code, message, fieldErrors: fieldErrorsIn(member(error, 'details')) })
}

/** The messages for one field of a form; those of its parts, `origins.0`, count as its own. */
export function messagesFor(error: unknown, field: string): string[] {
  if (!(error instanceof ApiError)) return []
  return Object.entries(error.fieldErrors)
    .filter(([path]) => path === field || path.startsWith(`${field}.`))
    .flatMap(([, messages]) => messages)
}

/** The error of fields that a form does not show: the sentence to put above it, or null. */
export function messageBeside(error: unknown, fields: readonly string[]): string | null {
  if (error === null || error === undefined) return null
  if (!(error instanceof ApiError)) return 'Something went wrong in this page. Reload it and try again.'
  const paths = Object.keys(error.fieldErrors)
  const isShown = (path: string) => fields.some((field) => path === field || path.startsWith(`${field}.`))
  return paths.length > 0 && paths.every(isShown) ? null : error.message
}

function fieldErrorsIn(details: unknown): FieldErrors {
  const found: Record<string, readonly string[]> = {}
  const fields = member(details, 'fieldErrors')
  if (!isRecord(fields)) return found
  for (const [path, messages] of Object.entries(fields)) {
    if (Array.isArray(messages)) found[path] = messages.filter((message) => typeof message === 'string')
  }
  return found
}

function member(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}
