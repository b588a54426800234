import type { ErrorBody, ErrorCode, FieldErrors, Role, RuntimeKeyType } from '@svc/contract'
import type { Shortage } from './admission/in-flight.ts'

/** An error with a place in the one envelope. Its message is for the caller, its `cause` for the log. */
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

/** 400. The message repeats the first fault, for callers that show only that. */
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

/** 401, the same for every wrong credential: missing, malformed, unknown, expired, revoked, of another plane. */
export function unauthorized(): AppError {
  return new AppError('unauthorized', 'The credential is missing or not valid here.')
}

export function endUserRequired(): AppError {
  return new AppError('unauthorized', END_USER_REQUIRED)
}

export const END_USER_REQUIRED = 'This capability needs an end user: send endUserToken.'

/** 403 of a call that a person has to approve first, from a client that cannot ask one. */
export function approvalNeeded(): AppError {
  return new AppError('forbidden', APPROVAL_NEEDED)
}

export const APPROVAL_NEEDED =
  'A person has to approve this call before it runs. That takes revision 2026-07-28 of the protocol and a client that declares form elicitation.'

/** 401 of a sign-in, the same for an unknown address and for a wrong password. */
export function wrongPassword(): AppError {
  return new AppError('unauthorized', 'The e-mail address or the password is not right.')
}

/** 400 of a sign-in whose password was right, and whose account has two-factor sign-in. */
export function codeNeeded(): AppError {
  return invalidField(
    'code',
    'is needed: the account has two-factor sign-in. Send the code of its app, or a recovery code.',
  )
}

export function wrongCode(): AppError {
  return invalidField('code', 'is not right, or was used before. Wait for the next code of the app.')
}

/** 403 of a forgotten password where the service sends no mail. */
export function noMail(): AppError {
  return forbidden('This service sends no mail. Ask its operator for a link to set a new password.')
}

export function forbidden(message: string): AppError {
  return new AppError('forbidden', message)
}

export function sessionRequired(what = 'to change how the account signs in'): AppError {
  return forbidden(`An API key is not enough ${what}: sign in and use the session.`)
}

/** 403 of a caller whose role does not allow it. `least` is null where no role does. */
export function roleNeeded(least: Role | null, role: Role): AppError {
  if (least === null) return forbidden('No role allows this.')
  return forbidden(`This needs the role “${least}”. Yours is “${role}”: ask an owner of the account.`)
}

/** 403 of a caller whose role, or whose key, was taken away while the request was under way. */
export function noLongerOwner(): AppError {
  return forbidden('This needs the role “owner”, which was taken away meanwhile.')
}

/** 404, the same for what does not exist and for what belongs to another account. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} was not found.`)
}

/** 404 where a promotion names no deployment by its number, and there is none to take. */
export function nothingToPromote(which: 'candidate' | 'previous'): AppError {
  const missing =
    which === 'candidate'
      ? 'This runtime has no candidate: deploy one with a share of the traffic.'
      : 'No older deployment of this runtime was stable before the one that serves.'
  return new AppError('not_found', `${missing} Or promote a deployment by its number.`)
}

/** 404 of an execution whose events no replica that can be asked holds. The resume key was right. */
export function notHeld(resumeMs: number): AppError {
  const seconds = Math.ceil(resumeMs / 1000)
  return new AppError(
    'not_found',
    `This server does not hold the events of this execution. They are kept for streams with “detach”, until ${seconds} seconds after their end, by the server that runs them.`,
  )
}

export function keyNotRevealable(type: RuntimeKeyType): AppError {
  const message = `The ${type} key is kept as a hash only: it cannot be revealed and must be rotated to get one that can.`
  return new AppError('not_found', message)
}

export function keyRevoked(type: RuntimeKeyType): AppError {
  return new AppError('not_found', `The ${type} key was revoked. Rotate it to get a new one.`)
}

/** 429. `retryAfterMs` is when a further try can succeed, not when it will. */
export function limited(message: string, retryAfterMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new AppError('rate_limit_exceeded', message, { headers: { 'retry-after': String(seconds) } })
}

/** 429 while the event loop is late. Nothing was done. */
export function busy(): AppError {
  return limited('The service is busy. Try again in a moment.', 1_000)
}

/** 429 of a service that stops. Nothing was done, and a new connection may reach another replica. */
export function restarting(): AppError {
  return limited('The service is restarting. Nothing was done: try again.', 1_000)
}

/** 429 where the replica that runs an execution gave no answer. */
export function peerAway(cause?: unknown): AppError {
  const message = 'The server that runs this execution cannot be reached at the moment. Try again in a moment.'
  return new AppError('rate_limit_exceeded', message, { headers: { 'retry-after': '1' }, cause })
}

const shortage = (message: string) => limited(message, 1_000)

// Made once: a stack trace for each would cost more than the rest of the refusal.
const SHORTAGES: Readonly<Record<Shortage['of'], Readonly<Record<Shortage['scope'], AppError>>>> = {
  executions: {
    account: shortage('This account has as many executions under way as its share allows. Try again in a moment.'),
    service: shortage('Too many executions are under way. Try again in a moment.'),
  },
  bytes: {
    account: shortage('This account has as much data in flight as its share allows. Try again in a moment.'),
    service: shortage('Too much data is in flight. Try again in a moment.'),
  },
}

/** 429 at an in-flight limit. Nothing was done. */
export function noRoom({ of, scope }: Shortage): AppError {
  return SHORTAGES[of][scope]
}

/** 429 while the disk is full. Nothing was done. */
export function diskFull(): AppError {
  const message =
    'The service is out of disk space: until its operator has made room, it takes no new executions, deployments, runtimes or accounts.'
  return limited(message, 30_000)
}

/** 500 with a fixed sentence. The cause goes to the log alone. */
export function internal(cause: unknown): AppError {
  return new AppError('internal_error', 'Something went wrong on our side. Try again later.', { cause })
}

/** 500 while the database cannot be reached. Nothing was done. */
export function databaseAway(cause?: unknown): AppError {
  return new AppError('internal_error', DATABASE_AWAY, { headers: { 'retry-after': '1' }, cause })
}

export function isDatabaseAway({ message }: AppError): boolean {
  return message === DATABASE_AWAY
}

const DATABASE_AWAY = 'The service cannot reach its database at the moment. Nothing was done: try again.'

/** Awaits work that follows a commit. A database that is away by then is an ordinary 500: something was done. */
export async function afterCommit<T>(rest: Promise<T>): Promise<T> {
  try {
    return await rest
  } catch (error) {
    throw error instanceof AppError ? error : internal(error)
  }
}
