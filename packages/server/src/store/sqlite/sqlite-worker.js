import { parentPort, workerData } from 'node:worker_threads'
import SqliteDatabase from 'better-sqlite3'
import { createSqliteBatchWriter } from '../../executions/sqlite-batch-store.js'

/**
 * @import { SqliteRequest } from '../../executions/batch-store.ts'
 * @import { Assignment, Command, Query, Reply, Result } from './thread.ts'
 */

const MAX_STATEMENTS = 200
/** @type {Result} */
const NOTHING = { rows: [], changes: 0 }

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
/** @type {Map<string, SqliteDatabase.Statement<unknown[]>>} */
const statements = new Map()

try {
  serve(open(workerData))
} catch (error) {
  reply([describe(error)])
  port.close()
}

/** @param {SqliteDatabase.Database} database */
function serve(database) {
  const writeBatch = createSqliteBatchWriter(database)
  /** @type {(command: Command) => Reply} */
  const answer = (command) => {
    try {
      return run(command, { database, writeBatch })
    } catch (error) {
      return describe(error)
    }
  }
  port.on('message', (/** @type {Command[]} */ commands) => {
    reply(commands.map(answer))
    if (commands.some(({ kind }) => kind === 'close')) port.close()
  })
  reply([NOTHING])
}

/**
 * @param {Command} command
 * @param {{ database: SqliteDatabase.Database, writeBatch: ReturnType<typeof createSqliteBatchWriter> }} connection
 * @returns {Result}
 */
function run(command, { database, writeBatch }) {
  switch (command.kind) {
    case 'query':
      return execute(database, command)
    case 'batch':
      return { rows: [writeBatch(/** @type {SqliteRequest} */ (command.request))], changes: 0 }
    case 'rollback':
      // SQLite rolls back by itself where the disk is full or fails.
      if (database.inTransaction) database.exec('rollback')
      return NOTHING
    case 'close':
      database.close()
      return NOTHING
  }
}

/** @type {(database: SqliteDatabase.Database, query: Query) => Result} */
function execute(database, { sql, parameters, position }) {
  // Locks at once: a read transaction that turns into a write fails where another process wrote meanwhile.
  if (position === 'first') database.exec('begin immediate')
  // After a rollback by SQLite itself, each further statement would be committed alone.
  if (position === 'within' && !database.inTransaction) throw new Error('the transaction was rolled back by SQLite')
  const statement = prepare(database, sql)
  const values = parameters.map(toSqlite)
  if (!statement.reader) return { rows: [], changes: statement.run(values).changes }
  const rows = statement.all(values)
  return { rows, changes: rows.length }
}

/**
 * A prepared statement, from the most recently used ones where it is among them.
 * @type {(database: SqliteDatabase.Database, sql: string) => SqliteDatabase.Statement<unknown[]>}
 */
function prepare(database, sql) {
  const statement = statements.get(sql) ?? database.prepare(sql)
  statements.delete(sql)
  statements.set(sql, statement)
  const [oldest] = statements.keys()
  if (statements.size > MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest)
  return statement
}

/**
 * better-sqlite3 binds every number as a double, so that 7 as text would be '7.0'.
 * @param {unknown} value
 */
function toSqlite(value) {
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : value
}

/** @param {Assignment} assignment */
function open({ file, role }) {
  const isReader = role === 'reader'
  const database = new SqliteDatabase(file, { readonly: isReader, timeout: 5000 })
  database.pragma('cache_size = -16384')
  if (isReader) {
    database.pragma('query_only = on')
    return database
  }
  // Takes effect on a new file only.
  database.pragma('auto_vacuum = incremental')
  database.pragma('journal_mode = wal')
  // Not stored in the file: better-sqlite3 opens a WAL database with NORMAL.
  database.pragma('synchronous = full')
  database.pragma('foreign_keys = on')
  database.pragma('wal_autocheckpoint = 4000')
  database.pragma('journal_size_limit = 67108864')
  return database
}

/** @param {Reply[]} replies */
function reply(replies) {
  port.postMessage(replies)
}

/** @param {unknown} error */
function describe(error) {
  const message = error instanceof Error ? error.message : String(error)
  return { code: error instanceof SqliteDatabase.SqliteError ? error.code : 'SQLITE_ERROR', message }
}
