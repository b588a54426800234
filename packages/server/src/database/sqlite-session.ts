import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import type { Mutex } from './mutex.ts'
import type { Result, SqliteThread } from './sqlite-thread.ts'

export interface Threads {
  writer: SqliteThread
  reader: SqliteThread
  /** Held for one statement, or from the begin of a transaction to its end. */
  writing: Mutex
}

/**
 * What Kysely takes for a connection, and costs next to nothing: outside of a transaction a select goes to the reader,
 * anything else waits for the writer.
 */
export class SqliteSession implements DatabaseConnection {
  readonly #threads: Threads
  #endTurn: (() => void) | undefined

  constructor(threads: Threads) {
    this.#threads = threads
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { reader, writer } = this.#threads
    const inTransaction = this.#endTurn !== undefined
    if (!inTransaction && SelectQueryNode.is(query)) {
      return toQueryResult(await reader.query<Row>({ sql, parameters, inTransaction }))
    }
    const endTurn = inTransaction ? undefined : await this.#threads.writing.acquire()
    try {
      return toQueryResult(await writer.query<Row>({ sql, parameters, inTransaction }))
    } finally {
      endTurn?.()
    }
  }

  // Kysely asks for the method, and neither engine here streams.
  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('queries cannot be streamed: read page by page')
  }

  async begin(): Promise<void> {
    const endTurn = await this.#threads.writing.acquire()
    try {
      // At once the only writer: a transaction that turns from reading to writing fails where another one wrote.
      await this.#threads.writer.query({ sql: 'begin immediate', parameters: [], inTransaction: false })
    } catch (error) {
      endTurn()
      throw error
    }
    this.#endTurn = endTurn
  }

  /** Leaves the transaction open where it fails, for `rollback` to end. */
  async commit(): Promise<void> {
    await this.#threads.writer.query({ sql: 'commit', parameters: [], inTransaction: true })
    this.#leave()
  }

  /** Does nothing outside of a transaction. */
  async rollback(): Promise<void> {
    if (this.#endTurn === undefined) return
    try {
      await this.#threads.writer.rollback()
    } finally {
      this.#leave()
    }
  }

  #leave(): void {
    this.#endTurn?.()
    this.#endTurn = undefined
  }
}

function toQueryResult<Row>({ rows, changes }: Result<Row>): QueryResult<Row> {
  return { rows, numAffectedRows: BigInt(changes) }
}
