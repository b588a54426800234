import { decideAdmissions } from './admission-rules.js'
import { ADMISSION_COLUMNS, reconcileAt, SETTLEMENT_COLUMNS } from './column-rules.js'
import { KEY_LIFETIME_MS, keyRows, shareOutcomes } from './idempotency-rules.js'

/**
 * @import { Database, Statement } from 'better-sqlite3'
 * @import { AdmissionRequest, BucketRow, CurrentRuntime, BatchOutcomes } from './batch-rules.ts'
 * @import { SqliteRequest, SqliteSettlement } from './batch-store.ts'
 */

/**
 * Writes batches in the thread of SQLite, each in one transaction.
 * @param {Database} database
 */
export function createSqliteBatchWriter(database) {
  const statements = statementsOf(database)
  const write = database.transaction((/** @type {SqliteRequest} */ request) => writeBatch(statements, request))
  return (/** @type {SqliteRequest} */ request) => write.immediate(request)
}

/** @param {Database} database */
function statementsOf(database) {
  // Each is prepared before its first run: until then its table may be missing.
  const prepare = (/** @type {string} */ sql) => {
    /** @type {Statement<unknown[]> | undefined} */
    let statement
    return () => (statement ??= database.prepare(sql))
  }
  return {
    lease: prepare('select 1 from nodes where node_id = ?'),
    bucket: prepare('select owner_id, bucket, full_at from allowances where owner_id = ? and bucket = ?'),
    runtime: prepare(`select runtimes.runtime_id, runtimes.revision, owners.tier, owners.stored_bytes
      from runtimes join owners on owners.owner_id = runtimes.owner_id
      where runtimes.runtime_id = ? and runtimes.owner_id = ?`),
    setBucket: prepare(`insert into allowances (owner_id, bucket, full_at) values (?, ?, ?)
      on conflict (owner_id, bucket) do update set full_at = excluded.full_at`),
    begin: prepare(`insert into executions (status, node_id, ${ADMISSION_COLUMNS})
      values ('running', ?, ${ADMISSION_COLUMNS.map(() => '?')})`),
    dropKey: prepare('delete from idempotency_keys where key_hash = ? and created_at <= ?'),
    addKey: prepare(`insert into idempotency_keys (key_hash, owner_id, body_hash, execution_id, created_at)
      values (@key_hash, @owner_id, @body_hash, @execution_id, @created_at) on conflict do nothing`),
    freeKey: prepare('delete from idempotency_keys where key_hash = ? and execution_id = ?'),
    addCall: prepare(`update executions
      set calls = coalesce(calls || ',', '') || @calls, call_count = call_count + 1
      where execution_id = @execution_id and owner_id = @owner_id and node_id = ? and completed_at is null`),
    end: prepare(`update executions set ${SETTLEMENT_COLUMNS.map((column) => `${column} = ?`)}, reconcile_at = ${reconcileAt('?')}
      where execution_id = ? and owner_id = ? and node_id = ? and completed_at is null`),
    journal: prepare('insert into usage_journal (usages) values (?)'),
    setLastSeen: prepare('update runtimes set last_seen_at = ? where runtime_id = ? and coalesce(last_seen_at, 0) < ?'),
  }
}

/** @type {(statements: ReturnType<typeof statementsOf>, request: SqliteRequest) => BatchOutcomes} */
function writeBatch(statements, request) {
  const { nodeId, isTakeOver, admissions, calls, settlements } = request
  if (!isTakeOver && statements.lease().get(nodeId) === undefined) {
    return {
      admissions: admissions.map(() => null),
      calls: calls.map(() => false),
      settlements: settlements.map(() => false),
    }
  }
  const ended = settlements.map((settlement) => end(statements, nodeId, settlement))
  const usages = settlements.filter((_, index) => ended[index]).map(({ usage }) => usage)
  if (usages.length > 0) statements.journal().run(`[${usages}]`)
  return {
    admissions: admissions.length === 0 ? [] : admit(statements, request),
    calls: calls.map((row) => statements.addCall().run(nodeId, row).changes > 0),
    settlements: ended,
  }
}

/** @type {(statements: ReturnType<typeof statementsOf>, nodeId: string, settlement: SqliteSettlement) => boolean} */
function end(statements, nodeId, { values, runtimeId, seenAt }) {
  const { changes } = statements.end().run(values, nodeId)
  if (changes > 0 && seenAt !== null) statements.setLastSeen().run(seenAt, runtimeId, seenAt)
  return changes > 0
}

/** @type {(statements: ReturnType<typeof statementsOf>, request: SqliteRequest) => BatchOutcomes['admissions']} */
function admit(statements, { admissions: requested, nodeId, now, plans }) {
  const taken = takeKeys(statements, requested, now)
  const admissions = requested.filter((request) => isOwnKey(taken, request))
  /** @type {Map<string, CurrentRuntime>} */
  const runtimes = new Map()
  /** @type {Map<string, BucketRow>} */
  const buckets = new Map()
  for (const { row } of admissions) {
    const { owner_id, runtime_id, kind } = row
    if (!runtimes.has(runtime_id)) {
      const runtime = /** @type {CurrentRuntime | undefined} */ (statements.runtime().get(runtime_id, owner_id))
      if (runtime) runtimes.set(runtime_id, runtime)
    }
    // The free plan has the most limits: its draws name every bucket that a plan may use.
    for (const { bucket } of plans.free.draws[kind]) {
      const key = `${owner_id} ${bucket}`
      if (buckets.has(key)) continue
      const stored = /** @type {BucketRow | undefined} */ (statements.bucket().get(owner_id, bucket))
      buckets.set(key, stored ?? { owner_id, bucket, full_at: 0 })
    }
  }
  const stored = { runtimes: [...runtimes.values()], buckets: [...buckets.values()] }
  const decided = decideAdmissions(admissions, { ...stored, plans, now })
  for (const { owner_id, bucket, full_at } of decided.changed) statements.setBucket().run(owner_id, bucket, full_at)
  for (const row of decided.admitted) {
    const begun = ADMISSION_COLUMNS.map((column) => row[column])
    statements.begin().run(nodeId, begun)
  }
  const outcomes = decided.admissions.values()
  const decidedOf = requested.map((request) => {
    if (!isOwnKey(taken, request)) return undefined
    const admission = outcomes.next().value ?? null
    const { storedKey, row } = request
    if (storedKey && admission?.outcome !== 'admitted') statements.freeKey().run(storedKey.key_hash, row.execution_id)
    return admission
  })
  return shareOutcomes(requested, decidedOf)
}

/**
 * Takes the keys of requests, and returns the execution of each key that was free.
 * @type {(statements: ReturnType<typeof statementsOf>, requests: readonly AdmissionRequest[], now: number) => Map<string, string>}
 */
function takeKeys(statements, requests, now) {
  const rows = keyRows(requests, now)
  for (const { key_hash } of rows) statements.dropKey().run(key_hash, now - KEY_LIFETIME_MS)
  const free = rows.filter((row) => statements.addKey().run(row).changes > 0)
  return new Map(free.map(({ key_hash, execution_id }) => [key_hash, execution_id]))
}

/** @type {(taken: ReadonlyMap<string, string>, request: AdmissionRequest) => boolean} */
function isOwnKey(taken, { storedKey, row }) {
  return !storedKey || taken.get(storedKey.key_hash) === row.execution_id
}
