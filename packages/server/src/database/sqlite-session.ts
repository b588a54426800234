import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import { BatchText } from './batch-text.ts'
import type { Mutex } from './mutex.ts'
import type { Command, Query, SqliteThread } from './sqlite-thread.ts'

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

  constructor(threads: Threads) {
    this.#threads = threads
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { reader, writer, writing } = this.#threads
    const asked = (place: Query['place']): Command => ({ kind: 'query', sql, parameters, place })
    if (this.#endTurn !== undefined) {
      const place = this.#hasBegun ? 'within' : 'first'
      this.#hasBegun = true
      return ask(writer, asked(place))
    }
    if (SelectQueryNode.is(query)) return ask(reader, asked('alone'))
    const endTurn = await writing.acquire()
    try {
      const [batch] = parameters
      if (!(batch instanceof BatchText)) return await ask(writer, asked('alone'))
      batch.beforeSending()
      return await ask(writer, { kind: 'batch', text: batch.text })
    } finally {
      endTurn()
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
  }

  /** Leaves the transaction open where it fails, for `rollback` to end. */
  async commit(): Promise<void> {
    const commit = { kind: 'query', sql: 'commit', parameters: [], place: 'within' } as const
    if (this.#hasBegun) await this.#threads.writer.send(commit)
    this.#leave()
  }

  /** Does nothing outside of a transaction. */
  async rollback(): Promise<void> {
    if (this.#endTurn === undefined) return
    try {
      await this.#threads.writer.send({ kind: 'rollback' })
    } finally {
      this.#leave()
    }
  }

  #leave(): void {
    this.#endTurn?.()
    this.#endTurn = undefined
  }
}

async function ask<Row>(thread: SqliteThread, command: Command): Promise<QueryResult<Row>> {
  const { rows, changes } = await thread.send<Row>(command)
  return { rows, numAffectedRows: BigInt(changes) }
}
