import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import type { Mutex } from '../mutex.ts'
import type { Command, Query, SqliteThread } from './thread.ts'

export interface Threads {
  writer: SqliteThread
  reader: SqliteThread
  /** Held for one statement, or for a whole transaction. */
  writing: Mutex
}

/** A connection for Kysely. A select outside a transaction goes to the reader, everything else waits for the writer. */
export class SqliteSession implements DatabaseConnection {
  readonly #threads: Threads
  /** Releases the writer; undefined outside a transaction. */
  #release: (() => void) | undefined
  #hasBegun = false

  constructor(threads: Threads) {
    this.#threads = threads
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { reader, writer, writing } = this.#threads
    const at = (position: Query['position']): Command => ({ kind: 'query', sql, parameters, position })
    if (this.#release !== undefined) {
      const position = this.#hasBegun ? 'within' : 'first'
      this.#hasBegun = true
      return execute(writer, at(position))
    }
    if (SelectQueryNode.is(query)) return execute(reader, at('alone'))
    const release = await writing.acquire()
    try {
      return await execute(writer, at('alone'))
    } finally {
      release()
    }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('queries cannot be streamed: read page by page')
  }

  /** Waits for the writer. BEGIN is sent with the first statement: one message to the thread instead of two. */
  async begin(): Promise<void> {
    this.#release = await this.#threads.writing.acquire()
    this.#hasBegun = false
  }

  /** Where it fails, the transaction stays open until `rollback`. */
  async commit(): Promise<void> {
    const commit: Command = { kind: 'query', sql: 'commit', parameters: [], position: 'within' }
    if (this.#hasBegun) await this.#threads.writer.send(commit)
    this.#leave()
  }

  /** Does nothing outside a transaction. */
  async rollback(): Promise<void> {
    if (this.#release === undefined) return
    try {
      await this.#threads.writer.send({ kind: 'rollback' })
    } finally {
      this.#leave()
    }
  }

  #leave(): void {
    this.#release?.()
    this.#release = undefined
  }
}

async function execute<Row>(thread: SqliteThread, command: Command): Promise<QueryResult<Row>> {
  const { rows, changes } = await thread.send<Row>(command)
  return { rows, numAffectedRows: BigInt(changes) }
}
