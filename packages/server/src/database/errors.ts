/** Serialization failure, deadlock, lock time limit. */
const CONFLICTS = new Set(['40001', '40P01', '55P03'])

/** PostgreSQL: connection lost, out of resources, stopped from outside or by its time limit, system error, read-only. */
const POSTGRES_OUTAGES = /^(08|53|57|58|XX)[0-9A-Z]{3}$|^25006$/
const SQLITE_OUTAGES = /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOMEM|NOTADB|READONLY)|^SVC_DATABASE_ENDED$/
const NETWORK_OUTAGES = /^(EAI_AGAIN|ECONN[A-Z]+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT)$/

/** PostgreSQL: data exceptions, broken constraints. SQLite: constraints, types, sizes. */
const DATA_FAULTS = /^2[23][0-9A-Z]{3}$|^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/

/** pg gives these errors of its own no code. */
const NO_FREE_CONNECTION = 'timeout exceeded when trying to connect'
const POOL_OUTAGES = new RegExp(`^(Connection terminated|${NO_FREE_CONNECTION}|Client has encountered a connection)`)

/** What PostgreSQL and pg add to an error: whole rows and parameters in the first three, the connection in the last. */
const PRIVATE_FIELDS = ['detail', 'where', 'internalQuery', 'client']

/** An error of SQLite, `code` being its extended result code, or `SVC_DATABASE_ENDED`. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: string

  constructor({ code, message, cause }: { code: string; message: string; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** True where the transaction lost against another one and was rolled back: running it again may succeed. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return CONFLICTS.has(code) || code.startsWith('SQLITE_BUSY')
}

/** True where it is the values that were refused: they would be refused again. */
export function isDataFault(error: unknown): boolean {
  return DATA_FAULTS.test(codeOf(error))
}

/** True where the database itself failed, so that no part of the work would have fared better alone. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error)
  if (POSTGRES_OUTAGES.test(code) || SQLITE_OUTAGES.test(code) || NETWORK_OUTAGES.test(code)) return true
  return error instanceof Error && POOL_OUTAGES.test(error.message)
}

/** True where all connections were in use for longer than a request waits for one. */
export function isOutOfConnections(error: unknown): boolean {
  return error instanceof Error && error.message === NO_FREE_CONNECTION
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
