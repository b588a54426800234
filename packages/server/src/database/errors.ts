/** Serialization failure, deadlock, lock time limit. */
const CONFLICTS = new Set(['40001', '40P01', '55P03'])
/** A name that this connection has no statement for, or has one for already. */
const NAME_FAULTS = new Set(['26000', '42P05'])
const STATEMENT_TIMED_OUT = '57014'

/** PostgreSQL: connection lost, out of resources, stopped from outside or by its time limit, system error, read-only. */
const POSTGRES_OUTAGES = /^(08|53|57|58|XX)[0-9A-Z]{3}$|^25006$/
const SQLITE_OUTAGES = /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOMEM|NOTADB|READONLY)|^SVC_DATABASE_ENDED$/
const NETWORK_OUTAGES = /^(EAI_AGAIN|ECONN[A-Z]+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT)$/

/** PostgreSQL: data exceptions, broken constraints. SQLite: constraints, types, sizes. */
const DATA_FAULTS = /^2[23][0-9A-Z]{3}$|^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/

/** A connection that was lost, refused, or ended by a server or a pooler that stops: another one may fare better. */
const CONNECTION_FAULTS = /^(08[0-9A-Z]{3}|25P03|53300|57P0[1-5])$/

/** pg gives these errors of its own no code. It ends a connection on which an answer did not come in time. */
const POOL_OUTAGES =
  /^(Connection terminated|Query read timeout|timeout (exceeded when trying to connect|expired)|Client has encountered a c)/

/** True where a question was not answered in time: other connections of that age may lead nowhere, too. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Query read timeout')
}

const UNREACHED = /^(timeout (exceeded when trying to connect|expired)|Connection terminated due to connection timeout)/

/** True where no connection was made in time: another try would wait as long. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Error && UNREACHED.test(error.message)
}

/** What PostgreSQL and pg add to an error: whole rows and parameters in the first three, the connection in the last. */
const PRIVATE_FIELDS = ['detail', 'where', 'internalQuery', 'client']

/** An error of SQLite, `code` being its extended result code or `SVC_DATABASE_ENDED`. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: string

  constructor({ code, message, cause }: { code: string; message: string; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/**
 * The answer to a commit was lost: it may have taken place, or still take place. `cause` is what was met instead of an
 * answer.
 */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError'

  constructor(cause: unknown) {
    super('the answer to a commit was lost', { cause })
  }
}

/** True where the transaction lost against another one, or its statement's name, and was rolled back: it may run again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return CONFLICTS.has(code) || NAME_FAULTS.has(code) || code.startsWith('SQLITE_BUSY')
}

/** True where a pooler lent another connection than the one on which the statement was named. */
export function isNameUnknown(error: unknown): boolean {
  return NAME_FAULTS.has(codeOf(error))
}

/** True where PostgreSQL did not look at a statement, since one before it in the transaction had failed. */
export function isAftermath(error: unknown): boolean {
  return codeOf(error) === '25P02'
}

/** True where it is the values that were refused: they would be refused again. */
export function isDataFault(error: unknown): boolean {
  return DATA_FAULTS.test(codeOf(error))
}

/** True where the database has no room to write: nothing was written. */
export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error)
  return code === '53100' || code.startsWith('SQLITE_FULL') || code === 'ENOSPC'
}

/** True where the database itself failed, so that no part of the work would have fared better alone. */
export function isOutage(error: unknown): boolean {
  if (error instanceof CommitUnknownError) return true
  const code = codeOf(error)
  if (POSTGRES_OUTAGES.test(code) || SQLITE_OUTAGES.test(code) || NETWORK_OUTAGES.test(code)) return true
  return error instanceof Error && POOL_OUTAGES.test(error.message)
}

/** True where the way to the database broke or was never there: the same work on another connection may succeed. */
export function isConnectionFault(error: unknown): boolean {
  const code = codeOf(error)
  if (CONNECTION_FAULTS.test(code) || NETWORK_OUTAGES.test(code)) return true
  return error instanceof CommitUnknownError || (error instanceof Error && POOL_OUTAGES.test(error.message))
}

const withoutEffect = new WeakSet<Error>()

/** Notes that what met this error has written nothing: a read, a transaction that is over, a connection never made. */
export function noteWithoutEffect(error: unknown): void {
  if (error instanceof Error) withoutEffect.add(error)
}

/**
 * True where the database was busy or away and nothing was done: whoever asks again asks for the first time. A statement
 * of its own that wrote, and whose answer was lost, is no such case.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (codeOf(error) === STATEMENT_TIMED_OUT || isConflict(error)) return true
  return isConnectionFault(error) && withoutEffect.has(error)
}

/** Takes out of an error what must not reach a log: stored values and the connection's settings. */
export function removePrivateFields(error: unknown): void {
  if (!(error instanceof Error)) return
  for (const field of PRIVATE_FIELDS) Reflect.deleteProperty(error, field)
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
