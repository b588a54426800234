import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import type { Mutex } from './mutex.ts'
import { JsonRows } from './row-statement.ts'
import type { Place, Query, Result, RowsQuery, SqliteThread } from './sqlite-thread.ts'
import { COMMIT } from './transaction.ts'

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
  #hasBegun = false
  #hasEnded = false

  constructor(threads: Threads) {
    this.#threads = threads
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { reader, writer } = this.#threads
    const inTransaction = this.#endTurn !== undefined
    if (!inTransaction && SelectQueryNode.is(query)) {
      return toQueryResult(await reader.query<Row>(toQuery(sql, parameters, 'alone')))
    }
    if (inTransaction && sql === COMMIT.sql) {
      await this.#commitNow()
      return { rows: [] }
    }
    const endTurn = inTransaction ? undefined : await this.#threads.writing.acquire()
    try {
      return toQueryResult(await writer.query<Row>(toQuery(sql, parameters, this.#nextPlace(inTransaction))))
    } finally {
      endTurn?.()
    }
  }

  // Kysely asks for the method, and neither engine here streams.
  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('queries cannot be streamed: read page by page')
  }

  /** Waits for its turn. The transaction itself begins with its first statement, which saves a message. */
  async begin(): Promise<void> {
    this.#endTurn = await this.#threads.writing.acquire()
    this.#hasBegun = false
    this.#hasEnded = false
  }

  /** Leaves the transaction open where it fails, for `rollback` to end. */
  async commit(): Promise<void> {
    if (!this.#hasEnded) await this.#commitNow()
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

  async #commitNow(): Promise<void> {
    if (this.#hasBegun) await this.#threads.writer.query(toQuery(COMMIT.sql, [], 'within'))
    this.#hasEnded = true
  }

  #nextPlace(inTransaction: boolean): Place {
    if (!inTransaction) return 'alone'
    if (this.#hasBegun) return 'within'
    this.#hasBegun = true
    return 'first'
  }

  #leave(): void {
    this.#endTurn?.()
    this.#endTurn = undefined
  }
}

function toQuery(sql: string, parameters: readonly unknown[], place: Place): Query | RowsQuery {
  const [first] = parameters
  if (first instanceof JsonRows) return { kind: 'rows', sql, rows: first.text, place, mustChange: first.mustChange }
  return { kind: 'query', sql, parameters, place }
}

function toQueryResult<Row>({ rows, changes }: Result<Row>): QueryResult<Row> {
  return { rows, numAffectedRows: BigInt(changes) }
}
