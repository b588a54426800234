type ErrorTest = (error: unknown) => boolean

/** A database error that svc raises. `code`: a SQLite result code, `SVC_DATABASE_ENDED`, or SQLSTATE 08006 for an outage. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: string

  constructor({ code, message, cause }: { code: string; message: string; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** The account was deleted after the request had been authenticated. */
export class AccountGoneError extends Error {
  override readonly name = 'AccountGoneError'
}

/** The answer to a commit was lost: the transaction may be committed, now or later. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError'

  constructor(cause: unknown) {
    super('the answer to a commit was lost', { cause })
  }
}

/** A prepared statement is not known on this connection: a pooler such as PgBouncer has switched it. */
export const isStatementNameFault = hasCode(/^(26000|42P05)$/)

/** A serialization failure, deadlock, lock timeout or unknown statement name: rolled back, and can run again. */
export const isConflict = isAnyOf(isStatementNameFault, hasCode(/^(40001|40P01|55P03)$|^SQLITE_BUSY/))

/** PostgreSQL skipped a statement because an earlier one of its transaction had failed. */
export const isTransactionAborted = hasCode(/^25P02$/)

/** The values were refused, and would be again: data exceptions, broken constraints, types, sizes. */
export const isDataFault = hasCode(/^2[23][0-9A-Z]{3}$|^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/)

/** The role or its password is wrong, or there is no such database. */
export const isRefusedLogin = hasCode(/^(28[0-9A-Z]{3}|3D000)$/)

/** The disk of the database is full; nothing was written. */
export const isDiskFull = hasCode(/^(53100|ENOSPC)$|^SQLITE_FULL/)

// Errors of the `pg` library itself have no code: they are told by their message.

/** The answer did not come in time. Other connections that were made before may be dead as well. */
export const isQueryTimeout = hasMessage(/^Query read timeout/)

/** No connection was made in time: another try would take as long. */
export const isConnectTimeout = hasMessage(
  /^(timeout (exceeded when trying to connect|expired)|Connection terminated due to connection timeout)/,
)

/** The connection broke, was refused or was ended: the same work on another connection may succeed. */
export const isConnectionFault = isAnyOf(
  (error) => error instanceof CommitUnknownError,
  hasCode(/^(08[0-9A-Z]{3}|25P03|53300|57P0[1-5])$/),
  hasCode(/^(EAI_AGAIN|ECONN[A-Z]+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT)$/),
  hasMessage(/^(Connection terminated|Client has encountered a c)/),
  isQueryTimeout,
  isConnectTimeout,
)

/**
 * The database itself failed, so that no single item of a batch would have succeeded alone. PostgreSQL: out of resources,
 * operator intervention, system error, read-only.
 */
export const isOutage = isAnyOf(
  isConnectionFault,
  hasCode(/^(53|57|58|XX)[0-9A-Z]{3}$|^25006$/),
  hasCode(/^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOMEM|NOTADB|READONLY)|^SVC_DATABASE_ENDED$/),
)

const nothingWritten = new WeakSet<Error>()

/** Marks the error of work that wrote nothing: a read, a transaction that was rolled back, a connection never made. */
export function markNothingWritten(error: unknown): void {
  if (error instanceof Error) nothingWritten.add(error)
}

const isStatementTimeout = hasCode(/^57014$/)

/** The database was busy or away and nothing was written, so a retry is safe. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isStatementTimeout(error) || isConflict(error) || (isConnectionFault(error) && nothingWritten.has(error))
}

/** Of errors of `pg`: the first three can hold stored values, the last the connection's settings. */
const PRIVATE_FIELDS = ['detail', 'where', 'internalQuery', 'client']

/** Removes what must not reach a log. */
export function removePrivateFields(error: unknown): void {
  if (!(error instanceof Error)) return
  for (const field of PRIVATE_FIELDS) Reflect.deleteProperty(error, field)
}

function hasCode(codes: RegExp): ErrorTest {
  return (error) =>
    error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.test(error.code)
}

function hasMessage(messages: RegExp): ErrorTest {
  return (error) => error instanceof Error && messages.test(error.message)
}

function isAnyOf(...tests: readonly ErrorTest[]): ErrorTest {
  return (error) => tests.some((test) => test(error))
}
