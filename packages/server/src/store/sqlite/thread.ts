import { Worker } from 'node:worker_threads'
import { DatabaseError } from '../errors.ts'

export interface Assignment {
  file: string
  /** The reader's connection is read-only. */
  role: 'writer' | 'reader'
}

/** `position`: `alone` outside a transaction; `first` begins one; `within` fails where there is none. */
export interface Query {
  kind: 'query'
  sql: string
  parameters: readonly unknown[]
  position: 'alone' | 'first' | 'within'
}

/** `batch`: executions, in a transaction of their own; the row of the result is their outcomes. */
export type Command = Query | { kind: 'batch'; request: unknown } | { kind: 'rollback' } | { kind: 'close' }

export interface Result<Row = unknown> {
  rows: Row[]
  changes: number
}

/** Replies come in the order of the commands. The first one, without a command, tells whether the database was opened. */
export type Reply<Row = unknown> = Result<Row> | { code: string; message: string }

interface Waiter {
  resolve(result: Result<never>): void
  reject(error: Error): void
}

export function startSqliteWorker(assignment: Assignment): Worker {
  return new Worker(new URL('./sqlite-worker.js', import.meta.url), { workerData: assignment })
}

/** One SQLite connection in a thread of its own. Commands of one microtask share a message, and so do their replies. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #onUnexpectedEnd: (error: Error) => void
  readonly #waiting: Waiter[] = []
  readonly #exited: Promise<unknown>
  #outbox: Command[] = []
  #state: 'opening' | 'serving' | 'closing' = 'opening'
  #cause: unknown
  #end: DatabaseError | undefined

  /** `onUnexpectedEnd` is called where the thread ends without `close`. Commands are then rejected. */
  static async open(worker: Worker, onUnexpectedEnd: (error: Error) => void): Promise<SqliteThread> {
    const thread = new SqliteThread(worker, onUnexpectedEnd)
    await thread.#reply()
    thread.#state = 'serving'
    return thread
  }

  private constructor(worker: Worker, onUnexpectedEnd: (error: Error) => void) {
    this.#worker = worker
    this.#onUnexpectedEnd = onUnexpectedEnd
    worker.on('message', (replies: Reply<never>[]) => {
      for (const reply of replies) this.#settle(reply)
    })
    worker.on('error', (error) => {
      this.#cause = error
    })
    worker.once('exit', () => this.#die())
    this.#exited = new Promise((resolve) => worker.once('exit', resolve))
  }

  /** Rejects with a {@link DatabaseError}. The type of a row is not checked. */
  send<Row>(command: Command): Promise<Result<Row>> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    if (this.#outbox.length === 0) queueMicrotask(() => this.#post())
    this.#outbox.push(command)
    return this.#reply()
  }

  /** Waits for the replies to earlier commands, then closes the connection and ends the thread. */
  async close(): Promise<void> {
    if (this.#state === 'serving' && this.#end === undefined) {
      this.#state = 'closing'
      await this.send({ kind: 'close' })
    }
    await this.#exited
  }

  #post(): void {
    this.#worker.postMessage(this.#outbox)
    this.#outbox = []
  }

  #reply<Row>(): Promise<Result<Row>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
  }

  #settle(reply: Reply<never>): void {
    const waiter = this.#waiting.shift()
    if ('rows' in reply) waiter?.resolve(reply)
    else waiter?.reject(new DatabaseError(reply))
  }

  #die(): void {
    const message = this.#state === 'closing' ? 'the database is closed' : 'the database thread has ended'
    this.#end = new DatabaseError({ code: 'SVC_DATABASE_ENDED', message, cause: this.#cause })
    for (const waiter of this.#waiting.splice(0)) waiter.reject(this.#end)
    if (this.#state === 'serving') this.#onUnexpectedEnd(this.#end)
  }
}
