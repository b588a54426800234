import { Worker } from 'node:worker_threads'
import { DatabaseError } from './errors.ts'

export interface Assignment {
  file: string
  /** The reader cannot write, whatever it is asked. */
  role: 'writer' | 'reader'
}

/** `place`: alone; as the first statement of a transaction, which it begins; or in one, outside of which it must not run. */
export interface Query {
  kind: 'query'
  sql: string
  parameters: readonly unknown[]
  place: 'alone' | 'first' | 'within'
}

/** `batch`: executions as text, in a transaction of their own; the one row of the answer is the text of the outcomes. */
export type Command = Query | { kind: 'batch'; text: string } | { kind: 'rollback' } | { kind: 'close' }

/** What was asked at once goes over at once, and so do the answers: waking a thread costs more than most statements. */
export type Request = [id: number, command: Command]

export interface Result<Row = unknown> {
  rows: Row[]
  changes: number
}

/** The first reply has the id 0 and tells how the opening went. */
export type Reply<Row = unknown> = [id: number, answer: Result<Row> | { code: string; message: string }]

interface Waiter {
  resolve(result: Result<never>): void
  reject(error: Error): void
}

const OPENING = 0

export function startSqliteWorker(assignment: Assignment): Worker {
  return new Worker(new URL('./sqlite-worker.js', import.meta.url), { workerData: assignment })
}

/** One SQLite connection in a thread of its own, which answers in the order of the requests. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #onDeath: (error: Error) => void
  readonly #waiting = new Map<number, Waiter>()
  readonly #exited: Promise<void>
  #outbox: Request[] = []
  #lastId = OPENING
  #state: 'opening' | 'serving' | 'closing' = 'opening'
  #cause: unknown
  #end: DatabaseError | undefined

  /** `onDeath` hears of a thread that ends without having been closed. Whatever it is asked then rejects. */
  static async open(worker: Worker, onDeath: (error: Error) => void): Promise<SqliteThread> {
    const thread = new SqliteThread(worker, onDeath)
    await thread.#expect(OPENING)
    thread.#state = 'serving'
    return thread
  }

  private constructor(worker: Worker, onDeath: (error: Error) => void) {
    this.#worker = worker
    this.#onDeath = onDeath
    worker.on('message', (replies: Reply<never>[]) => {
      for (const [id, answer] of replies) this.#settle(id, answer)
    })
    worker.on('error', (error) => {
      this.#cause = error
    })
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => resolve(this.#die()))
    })
  }

  /** Rejects with a `DatabaseError`. What a row looks like is the statement's affair and not checked here. */
  send<Row>(command: Command): Promise<Result<Row>> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    this.#lastId += 1
    if (this.#outbox.length === 0) queueMicrotask(() => this.#post())
    this.#outbox.push([this.#lastId, command])
    return this.#expect(this.#lastId)
  }

  /** Answers what was asked before, then closes the connection and ends the thread. */
  async close(): Promise<void> {
    if (this.#state === 'serving' && this.#end === undefined) {
      this.#state = 'closing'
      await this.send({ kind: 'close' })
    }
    await this.#exited
  }

  #post(): void {
    const requests = this.#outbox
    this.#outbox = []
    this.#worker.postMessage(requests)
  }

  #expect<Row>(id: number): Promise<Result<Row>> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
  }

  #settle(id: number, answer: Reply<never>[1]): void {
    const waiter = this.#waiting.get(id)
    this.#waiting.delete(id)
    if ('rows' in answer) waiter?.resolve(answer)
    else waiter?.reject(new DatabaseError(answer))
  }

  #die(): void {
    const message = this.#state === 'closing' ? 'the database is closed' : 'the database thread has ended'
    this.#end = new DatabaseError({ code: 'SVC_DATABASE_ENDED', message, cause: this.#cause })
    for (const waiter of this.#waiting.values()) waiter.reject(this.#end)
    this.#waiting.clear()
    if (this.#state === 'serving') this.#onDeath(this.#end)
  }
}
