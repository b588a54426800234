import { parentPort, workerData } from 'node:worker_threads'
import SqliteDatabase from 'better-sqlite3'

/**
 * @import { Assignment, Command, Numbered, Place, Query, Reply, Request, Requests, Result, RowsQuery } from './sqlite-thread.ts'
 */

class UnchangedError extends Error {}

const STATEMENTS_KEPT = 200
/** @type {Result} */
const NOTHING = { rows: [], changes: 0 }

const port = requirePort()
/** @type {Map<string, SqliteDatabase.Statement<unknown[]>>} */
const statements = new Map()
/** The texts of statements by their numbers. @type {string[]} */
const numbered = []
/**
 * Why a statement of the open transaction has failed: what was sent after it, unheard, must not be done, and fails alike.
 * @type {ReturnType<typeof describe> | null}
 */
let doom = null

try {
  serve(open(workerData))
} catch (error) {
  reply([[0, describe(error)]])
  port.close()
}

/** @param {SqliteDatabase.Database} database */
function serve(database) {
  port.on('message', (/** @type {Requests} */ requests) => {
    reply(requests.map((request) => answerOne(database, request)))
    if (requests.some((request) => request.length === 2 && request[1].kind === 'close')) port.close()
  })
  reply([[0, [], 0]])
}

/**
 * @param {SqliteDatabase.Database} database
 * @param {Request} request
 * @returns {Reply}
 */
function answerOne(database, request) {
  try {
    const { rows, changes } = request.length === 2 ? answer(database, request[1]) : executeForEach(database, request)
    return [request[0], rows, changes]
  } catch (error) {
    doom ??= describe(error)
    return [request[0], doom]
  }
}

/**
 * @param {SqliteDatabase.Database} database
 * @param {Exclude<Command, RowsQuery>} command
 * @returns {Result}
 */
function answer(database, command) {
  switch (command.kind) {
    case 'query':
      return execute(database, command)
    case 'rollback':
      // SQLite itself has rolled back where the disk was full or failed.
      if (database.inTransaction) database.exec('rollback')
      doom = null
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
 * @param {Numbered} request
 * @returns {Result}
 */
function executeForEach(database, [, number, sql, text, place, mustChange]) {
  if (sql !== null) numbered[number] = sql
  take(database, place)
  /** @type {unknown[][]} */
  const rows = JSON.parse(text)
  const run = () => runForEach(prepare(database, numbered[number] ?? ''), rows, mustChange)
  // All of them or none, as one statement is.
  return place === 'alone' ? database.transaction(run).immediate() : run()
}

/**
 * @param {SqliteDatabase.Statement<unknown[]>} statement
 * @param {unknown[][]} given
 * @param {boolean} mustChange
 * @returns {Result}
 */
function runForEach(statement, given, mustChange) {
  /** @type {unknown[]} */
  const answers = []
  if (statement.reader) {
    for (const row of given) answers.push(...statement.all(row))
    return { rows: answers, changes: answers.length }
  }
  for (const [index, row] of given.entries()) if (statement.run(row).changes === 0) answers.push(index)
  if (mustChange && answers.length > 0) throw new UnchangedError('a row was not there to be changed')
  return { rows: answers, changes: given.length - answers.length }
}

/**
 * @param {SqliteDatabase.Database} database
 * @param {Place} place
 */
function take(database, place) {
  // At once the only writer: a transaction that turns from reading to writing fails where another one wrote.
  if (place !== 'within') doom = null
  if (place === 'first') database.exec('begin immediate')
  if (doom !== null) throw new Error('an earlier statement of the transaction failed')
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

/**
 * @param {unknown} error
 */
function describe(error) {
  if (error instanceof UnchangedError) return { code: 'SVC_UNCHANGED', message: error.message }
  if (error instanceof SqliteDatabase.SqliteError) return { code: error.code, message: error.message }
  return { code: 'SQLITE_ERROR', message: error instanceof Error ? error.message : String(error) }
}

function requirePort() {
  if (parentPort === null) throw new Error('runs as a worker thread only')
  return parentPort
}
