import { hash } from 'node:crypto'
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { isConnectionFault, isQueryTimeout, isStatementNameFault, isTransactionAborted } from '../errors.ts'

interface Naming {
  isOn: boolean
}

/**
 * A connection that runs the statements of {@link prepared} as named prepared statements: planning costs more than running.
 * Behind a pooler that loses names, the first such error turns naming off for the pool, and its transaction is run again.
 */
export class PreparedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #naming: Naming
  readonly #onTimeout: () => void
  #isLost = false
  /** The first error of the transaction: later statements in the pipeline fail because of it. */
  #fault: unknown

  constructor(client: pg.PoolClient, naming: Naming, onTimeout: () => void) {
    this.#client = client
    this.#naming = naming
    this.#onTimeout = onTimeout
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: string | PostgresCursor<unknown>, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not supported')
    const values = [...parameters]
    const name = this.#naming.isOn ? names.get(text) : undefined
    return this.#client
      .query(name === undefined ? { text, values } : { name, text, values })
      .catch((error: unknown) => {
        this.#isLost ||= isConnectionFault(error)
        if (isQueryTimeout(error)) this.#onTimeout()
        if (isStatementNameFault(error)) this.#naming.isOn = false
        this.#fault ??= error
        throw isTransactionAborted(error) ? this.#fault : error
      })
  }

  release(): void {
    // The pool may not know yet that the connection is lost, and would lend it again.
    this.#client.release(this.#isLost)
  }
}

const names = new Map<string, string>()

/** A statement that is run by name, which is derived from its text: all processes behind a pooler share it. */
export function prepared(text: string): string {
  names.set(text, `svc_${hash('sha256', text).slice(0, 16)}`)
  return text
}
