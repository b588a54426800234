import { parentPort, workerData } from 'node:worker_threads'
import SqliteDatabase from 'better-sqlite3'

/**
 * @import { Assignment, Command, Place, Query, Reply, Request, Result, RowsQuery } from './sqlite-thread.ts'
 */

const STATEMENTS_KEPT = 200
/** @type {Result} */
const NOTHING = { rows: [], changes: 0 }

const port = requirePort()
/** @type {Map<string, SqliteDatabase.Statement<unknown[]>>} */
const statements = new Map()

try {
  serve(open(workerData))
} catch (error) {
  reply({ id: 0, failure: describe(error) })
  port.close()
}

/** @param {SqliteDatabase.Database} database */
function serve(database) {
  port.on('message', (/** @type {Request} */ { id, command }) => {
    try {
      reply({ id, result: answer(database, command) })
    } catch (error) {
      reply({ id, failure: describe(error) })
    }
    if (command.kind === 'close') port.close()
  })
  reply({ id: 0, result: NOTHING })
}

/**
 * @param {SqliteDatabase.Database} database
 * @param {Command} command
 * @returns {Result}
 */
function answer(database, command) {
  switch (command.kind) {
    case 'query':
      return execute(database, command)
    case 'rows':
      return executeForEach(database, command)
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
function execute(database, query) {
  take(database, query.place)
  const statement = prepare(database, query.sql)
  const parameters = query.parameters.map(toSqlite)
  if (!statement.reader) return { rows: [], changes: statement.run(parameters).changes }
  const rows = statement.all(parameters)
  return { rows, changes: rows.length }
}

/**
 * @param {SqliteDatabase.Database} database
 * @param {RowsQuery} query
 * @returns {Result}
 */
function executeForEach(database, query) {
  take(database, query.place)
  /** @type {unknown[]} */
  const rows = JSON.parse(query.rows)
  const run = () => runForEach(prepare(database, query.sql), rows)
  // All of them or none, as one statement is.
  return query.place === 'alone' ? database.transaction(run).immediate() : run()
}

/**
 * @param {SqliteDatabase.Statement<unknown[]>} statement
 * @param {unknown[]} given
 * @returns {Result}
 */
function runForEach(statement, given) {
  if (statement.reader) {
    const rows = given.flatMap((row) => statement.all(row))
    return { rows, changes: rows.length }
  }
  let changes = 0
  for (const row of given) changes += statement.run(row).changes
  return { rows: [], changes }
}

/**
 * @param {SqliteDatabase.Database} database
 * @param {Place} place
 */
function take(database, place) {
  // At once the only writer: a transaction that turns from reading to writing fails where another one wrote.
  if (place === 'first') database.exec('begin immediate')
  // Past a rollback by SQLite itself the rest of the transaction would be committed statement by statement.
  if (place === 'within' && !database.inTransaction) throw new Error('the transaction was rolled back by SQLite')
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
  database.pragma('cache_size = -65536')
  if (isReader) {
    database.pragma('query_only = on')
    return database
  }
  database.pragma('journal_mode = wal')
  // Not remembered by the file: a WAL database that is opened again comes up as NORMAL.
  database.pragma('synchronous = full')
  database.pragma('foreign_keys = on')
  database.pragma('wal_autocheckpoint = 2000')
  database.pragma('journal_size_limit = 67108864')
  return database
}

/** @param {Reply} message */
function reply(message) {
  port.postMessage(message)
}

/**
 * @param {unknown} error
 */
function describe(error) {
  if (error instanceof SqliteDatabase.SqliteError) return { code: error.code, message: error.message }
  return { code: 'SQLITE_ERROR', message: error instanceof Error ? error.message : String(error) }
}

function requirePort() {
  if (parentPort === null) throw new Error('runs as a worker thread only')
  return parentPort
}
