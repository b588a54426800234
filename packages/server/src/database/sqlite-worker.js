import { parentPort, workerData } from 'node:worker_threads'
import SqliteDatabase from 'better-sqlite3'
import { createBatchWriter } from '../executions/sqlite-batch.js'

/**
 * @import { Assignment, Command, Query, Reply, Request, Result } from './sqlite-thread.ts'
 */

const STATEMENTS_KEPT = 200
/** @type {Result} */
const NOTHING = { rows: [], changes: 0 }

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
/** @type {Map<string, SqliteDatabase.Statement<unknown[]>>} */
const statements = new Map()

try {
  serve(open(workerData))
} catch (error) {
  reply([[0, describe(error)]])
  port.close()
}

/** @param {SqliteDatabase.Database} database */
function serve(database) {
  const writeBatch = createBatchWriter(database)
  /** @param {Command} command */
  const answer = (command) => {
    try {
      return run({ database, writeBatch }, command)
    } catch (error) {
      return describe(error)
    }
  }
  port.on('message', (/** @type {Request[]} */ requests) => {
    reply(requests.map(([id, command]) => [id, answer(command)]))
    if (requests.some(([, { kind }]) => kind === 'close')) port.close()
  })
  reply([[0, NOTHING]])
}

/**
 * @param {{ database: SqliteDatabase.Database, writeBatch: (text: string) => string }} served
 * @param {Command} command
 * @returns {Result}
 */
function run({ database, writeBatch }, command) {
  switch (command.kind) {
    case 'query':
      return execute(database, command)
    case 'batch':
      return { rows: [writeBatch(command.text)], changes: 0 }
    case 'rollback':
      // SQLite itself has rolled back where the disk was full or failed.
      if (database.inTransaction) database.exec('rollback')
      return NOTHING
    case 'close':
      database.close()
      return NOTHING
  }
}

/**
 * @param {SqliteDatabase.Database} database
 * @param {Query} query
 * @returns {Result}
 */
function execute(database, { sql, parameters, place }) {
  // At once the only writer: a transaction that turns from reading to writing fails where another one wrote.
  if (place === 'first') database.exec('begin immediate')
  // Past a rollback by SQLite itself the rest of the transaction would be committed statement by statement.
  if (place === 'within' && !database.inTransaction) throw new Error('the transaction was rolled back by SQLite')
  const statement = prepare(database, sql)
  const values = parameters.map(toSqlite)
  if (!statement.reader) return { rows: [], changes: statement.run(values).changes }
  const rows = statement.all(values)
  return { rows, changes: rows.length }
}

/**
 * The statement for this text, from the most recently used ones where it is among them.
 * @param {SqliteDatabase.Database} database
 * @param {string} sql
 */
function prepare(database, sql) {
  const known = statements.get(sql)
  if (known !== undefined) statements.delete(sql)
  const statement = known ?? database.prepare(sql)
  statements.set(sql, statement)
  const [oldest] = statements.keys()
  if (statements.size > STATEMENTS_KEPT && oldest !== undefined) statements.delete(oldest)
  return statement
}

/**
 * better-sqlite3 binds every number as a floating-point one: 7 would divide as 7.0 does, and be '7.0' as text.
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
  // Takes effect on a new file alone: what is deleted can be given back to the file system page by page.
  database.pragma('auto_vacuum = incremental')
  database.pragma('journal_mode = wal')
  // Not remembered by the file: a WAL database that is opened again comes up as NORMAL.
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
