import type { Worker } from 'node:worker_threads'
import {
  type Dialect,
  type Driver,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createMutex } from '../mutex.ts'
import { SqliteSession, type Threads } from './session.ts'
import { type Assignment, SqliteThread, startSqliteWorker } from './thread.ts'

export interface SqliteOptions {
  file: string
  /** Called where a thread ends unexpectedly. */
  onError(error: unknown): void
  startWorker?: (assignment: Assignment) => Worker
}

/** SQLite in two threads, a writer and a reader, so that no fsync delays a read. */
export function createSqliteDialect(options: SqliteOptions): Dialect {
  const driver = new ThreadedSqliteDriver(options)
  return {
    createAdapter: () => new ThreadedSqliteAdapter(driver),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LocklessQueryCompiler(),
  }
}

class ThreadedSqliteDriver implements Driver {
  readonly #options: SqliteOptions
  #threads: Threads | undefined

  constructor(options: SqliteOptions) {
    this.#options = options
  }

  async init(): Promise<void> {
    const { file, onError, startWorker = startSqliteWorker } = this.#options
    // First: the reader can neither create the file nor set it to WAL.
    const writer = await SqliteThread.open(startWorker({ file, role: 'writer' }), onError)
    try {
      const reader = await SqliteThread.open(startWorker({ file, role: 'reader' }), onError)
      this.#threads = { writer, reader, writing: createMutex() }
    } catch (error) {
      await writer.close()
      throw error
    }
  }

  async acquireConnection(): Promise<SqliteSession> {
    if (this.#threads === undefined) throw new Error('the database is not open')
    return new SqliteSession(this.#threads)
  }

  /** Runs a batch of executions in the writer thread. `beforeSending` prevents it by throwing. */
  async sendBatch<Outcomes>(request: object, beforeSending: () => void): Promise<Outcomes | undefined> {
    if (this.#threads === undefined) throw new Error('the database is not open')
    const { writer, writing } = this.#threads
    const release = await writing.acquire()
    try {
      beforeSending()
      const { rows } = await writer.send<Outcomes>({ kind: 'batch', request })
      return rows[0]
    } finally {
      release()
    }
  }

  beginTransaction = (session: SqliteSession) => session.begin()
  commitTransaction = (session: SqliteSession) => session.commit()
  rollbackTransaction = (session: SqliteSession) => session.rollback()
  releaseConnection = (session: SqliteSession) => session.rollback()

  async destroy(): Promise<void> {
    if (this.#threads === undefined) return
    const { reader, writer, writing } = this.#threads
    await writing.acquire()
    await reader.close()
    // Last: closing the last connection checkpoints the write-ahead log.
    await writer.close()
  }
}

/** Migrations run in one transaction: BEGIN IMMEDIATE locks other processes out. */
export class ThreadedSqliteAdapter extends SqliteAdapter {
  readonly driver: ThreadedSqliteDriver

  constructor(driver: ThreadedSqliteDriver) {
    super()
    this.driver = driver
  }

  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Omits `FOR UPDATE`, which SQLite lacks and does not need: BEGIN IMMEDIATE locks other writers out. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || node.modifier === 'Distinct') super.visitSelectModifier(node)
  }
}
