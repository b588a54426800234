import type { ErrorBody, ErrorCode, FieldErrors, RuntimeKeyType } from '@svc/contract'
import type { Shortage } from './admission/in-flight.ts'

/** A refusal with a place in the one error envelope. Its message is for the caller; `cause` is for the log. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fieldErrors: FieldErrors | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, extra: AppErrorExtra = {}) {
    super(message, { cause: extra.cause })
    this.name = 'AppError'
    this.code = code
    this.fieldErrors = extra.fieldErrors
    this.headers = extra.headers ?? {}
  }

  toBody(): ErrorBody {
    const details = this.fieldErrors && { details: { fieldErrors: this.fieldErrors } }
    return { error: { code: this.code, message: this.message, ...details } }
  }
}

interface AppErrorExtra {
  fieldErrors?: FieldErrors
  headers?: Record<string, string>
  cause?: unknown
}

/** 400. The message repeats the first fault, for callers that show nothing else. */
export function invalid(fieldErrors: FieldErrors): AppError {
  const [field, faults] = Object.entries(fieldErrors)[0] ?? ['body', ['is not valid.']]
  return new AppError('validation_error', `The request is not valid: ${field}: ${faults[0]}`, { fieldErrors })
}

/** 400 on one field. */
export function invalidField(field: string, message: string): AppError {
  return invalid({ [field]: [message] })
}

/** 400 of a body that is too large. */
export function bodyTooLarge(maxBytes: number): AppError {
  return invalidField('body', `is larger than the ${maxBytes} bytes that are accepted.`)
}

/** 401, in one form for every kind of wrong credential: missing, malformed, unknown, expired, revoked, of another plane. */
export function unauthorized(): AppError {
  return new AppError('unauthorized', 'The credential is missing or not valid here.')
}

/** 401 of a capability that needs to know who the end user is. */
export function endUserRequired(): AppError {
  return new AppError('unauthorized', 'This capability needs an end user: send endUserToken.')
}

/** 401 of a sign-in, the same for an address that is not known and for a password that is another one. */
export function wrongPassword(): AppError {
  return new AppError('unauthorized', 'The e-mail address or the password is not right.')
}

export function forbidden(message: string): AppError {
  return new AppError('forbidden', message)
}

/** 403 of what an API key is not enough for. */
export function sessionRequired(): AppError {
  return forbidden('An API key is not enough to change the password: sign in and use the session.')
}

/** 404, the same for what does not exist and for what belongs to somebody else. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} was not found.`)
}

/** 404 of a key that is there and cannot be shown. */
export function keyNotRevealable(type: RuntimeKeyType): AppError {
  const message = `The ${type} key is kept as a hash only: it cannot be revealed and must be rotated to get one that can.`
  return new AppError('not_found', message)
}

/** 404 of a key that was revoked and not replaced. */
export function keyRevoked(type: RuntimeKeyType): AppError {
  return new AppError('not_found', `The ${type} key was revoked. Rotate it to get a new one.`)
}

/** 429. `retryAfterMs` is when a further try can succeed, not when it will. */
export function limited(message: string, retryAfterMs: number, headers: Record<string, string> = {}): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new AppError('rate_limit_exceeded', message, { headers: { ...headers, 'retry-after': String(seconds) } })
}

/** 429 of a service that has too much to do. Nothing was done. */
export function busy(): AppError {
  return limited('The service is busy. Try again in a moment.', 1_000)
}

/** 429 of a service that ends, to a request that came too late. Nothing was done, and another connection leads elsewhere. */
export function restarting(): AppError {
  return limited('The service is restarting. Nothing was done: try again.', 1_000)
}

// One for all: to note where each was made would cost more than all else about it.
const SHORTAGES: Readonly<Record<Shortage['of'], Readonly<Record<Shortage['scope'], AppError>>>> = {
  executions: {
    account: limited(
      'This account has as many executions under way as its share allows. Try again in a moment.',
      1_000,
    ),
    service: limited('Too many executions are under way. Try again in a moment.', 1_000),
  },
  bytes: {
    account: limited('This account has as much data in flight as its share allows. Try again in a moment.', 1_000),
    service: limited('Too much data is in flight. Try again in a moment.', 1_000),
  },
}

/** 429 of an account, or of a service, that has as much in flight as it may. Nothing was done. */
export function noRoom({ of, scope }: Shortage): AppError {
  return SHORTAGES[of][scope]
}

/** 429 of a service whose disk has no room for anything new. Nothing was done. */
export function diskFull(): AppError {
  return limited(
    'The service is out of disk space: until its operator has made room, it takes no new executions, deployments, runtimes or accounts.',
    DISK_RETRY_MS,
  )
}

const DISK_RETRY_MS = 30_000

/** 500 with a fixed sentence; what happened goes to the log alone. */
export function internal(cause: unknown): AppError {
  return new AppError('internal_error', 'Something went wrong on our side. Try again later.', { cause })
}

/** 500 of a service that cannot reach its database. Nothing was done. */
export function databaseAway(cause?: unknown): AppError {
  return new AppError('internal_error', DATABASE_AWAY, { headers: { 'retry-after': '1' }, cause })
}

export function isDatabaseAway({ message }: AppError): boolean {
  return message === DATABASE_AWAY
}

const DATABASE_AWAY = 'The service cannot reach its database at the moment. Nothing was done: try again.'

/** Awaits work that follows a commit. A database that is away by then is a fault like any other: something was done. */
export async function afterCommit<T>(rest: Promise<T>): Promise<T> {
  try {
    return await rest
  } catch (error) {
    throw error instanceof AppError ? error : internal(error)
  }
}
