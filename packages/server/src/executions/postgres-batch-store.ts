import { prepared } from '../store/postgres/prepared-client.ts'
import { jsonRows } from '../store/recordset.ts'
import type { Db } from '../store/schema.ts'
import { inPipeline, type Send } from '../store/transaction.ts'
import { QUOTAS } from '../usage/quota-rules.ts'
import { decideAdmissions } from './admission-rules.js'
import type {
  Admission,
  AdmissionRequest,
  Batch,
  BatchContext,
  BatchOutcomes,
  BucketRow,
  CurrentRuntime,
} from './batch-rules.ts'
import { ADMISSION_COLUMNS, reconcileAt, SETTLEMENT_COLUMNS } from './column-rules.js'
import { KEY_LIFETIME_MS, keyRows, shareOutcomes } from './idempotency-rules.js'
import type { NewRow } from './settlement-rules.ts'

const given = (table: string) => `json_populate_recordset(null::${table}, $1::json) as given`

// Rows are found by `= any` of a list of keys. A join would scan the table where its statistics say that it is empty, and
// that plan is kept.
const RUN_BY_THIS_NODE = `executions.execution_id = any($2::text[]) and executions.execution_id = given.execution_id
  and executions.owner_id = given.owner_id and executions.node_id = $3 and executions.completed_at is null`

export const BATCH_STATEMENTS = {
  // Others cannot remove the node's lease before the commit, and can renew it.
  lease: prepared('select node_id from nodes where node_id = $1 for key share'),
  // Waits for an earlier transaction of this node whose commit was not answered.
  leaseForUpdate: prepared('select node_id from nodes where node_id = $1 for update'),
  readEnds: prepared('select execution_id, status, completed_at from executions where execution_id = any($1::text[])'),
  // In one order on all replicas, so that they never deadlock.
  buckets: prepared(`select owner_id, bucket, full_at from allowances
    where owner_id = any($1::text[]) and bucket = any($2::text[]) order by owner_id, bucket for update`),
  runtimes: prepared(`select runtime_id, revision,
      (select tier from owners where owners.owner_id = runtimes.owner_id) as tier,
      (select stored_bytes from owners where owners.owner_id = runtimes.owner_id) as stored_bytes
    from runtimes where runtime_id = any($1::text[])`),
  setBuckets: prepared(`insert into allowances (owner_id, bucket, full_at)
    select owner_id, bucket, full_at from ${given('allowances')} where true
    on conflict (owner_id, bucket) do update set full_at = excluded.full_at`),
  begin: prepared(`insert into executions (status, node_id, ${ADMISSION_COLUMNS})
    select 'running', $2, ${ADMISSION_COLUMNS} from ${given('executions')}`),
  dropKeys: prepared('delete from idempotency_keys where key_hash = any($1::text[]) and created_at <= $2'),
  // Waits for another replica that takes the same key.
  addKeys: prepared(`insert into idempotency_keys select * from ${given('idempotency_keys')} where true
    on conflict do nothing returning execution_id`),
  freeKeys: prepared(`delete from idempotency_keys
    where key_hash = any($1::text[]) and execution_id = any($2::text[])`),
  addCalls: prepared(`update executions set calls = coalesce(executions.calls || ',', '') || given.calls,
      call_count = executions.call_count + given.call_count
    from (
      select execution_id, owner_id, string_agg(calls, ',') as calls, count(*) as call_count
      from ${given('executions')} group by execution_id, owner_id
    ) as given where ${RUN_BY_THIS_NODE} returning executions.execution_id`),
  end: prepared(`update executions set ${SETTLEMENT_COLUMNS.map((column) => `${column} = given.${column}`)},
      reconcile_at = ${reconcileAt('given.reconcile_at')}
    from ${given('executions')} where ${RUN_BY_THIS_NODE} returning executions.execution_id`),
  journal: prepared('insert into usage_journal (usages) values ($1)'),
  setLastSeen: prepared(`update runtimes set last_seen_at = given.last_seen_at from ${given('runtimes')}
    where runtimes.runtime_id = any($2::text[]) and runtimes.runtime_id = given.runtime_id
      and coalesce(runtimes.last_seen_at, 0) < given.last_seen_at`),
}

const { lease, leaseForUpdate, readEnds, buckets, runtimes, setBuckets, begin, addCalls, end, journal, setLastSeen } =
  BATCH_STATEMENTS
const { dropKeys, addKeys, freeKeys } = BATCH_STATEMENTS

type Keyed = { execution_id: string }
type StoredEnd = Keyed & { status: string; completed_at: number | null }
/** Rows that an earlier try of the batch has written, by their id. */
type Written = ReadonlyMap<string, StoredEnd>

/** Writes a batch in two round trips: reads and changes first, then what depends on them, with the commit. */
export function writePostgresBatch(db: Db, batch: Batch, context: BatchContext): Promise<BatchOutcomes> {
  const { nodeId, isRepeat } = context
  const isSame = (written: Written, { row }: Batch['settlements'][number]) => {
    const stored = written.get(row.execution_id)
    return stored?.status === row.status && stored.completed_at === row.completed_at
  }
  const ends = batch.settlements.map(({ row }) => row)
  return inPipeline(db, async (send, atCommit) => {
    const [, { rows: leaseRows }, written, found, taken, recorded, ended] = await Promise.all([
      send('begin'),
      send(isRepeat ? leaseForUpdate : lease, [nodeId]),
      isRepeat ? readWritten(send, batch) : new Map<string, StoredEnd>(),
      readForAdmission(send, batch),
      takeKeys(send, batch.admissions, context.now),
      changeRunning(send, addCalls, batch.calls, nodeId),
      changeRunning(send, end, ends, nodeId),
    ])
    if (!context.isTakeOver && leaseRows.length === 0) {
      await send('rollback')
      return {
        admissions: batch.admissions.map(() => null),
        calls: batch.calls.map(() => false),
        settlements: batch.settlements.map((settlement) => isSame(written, settlement)),
      }
    }
    const isFresh = ({ storedKey, row }: AdmissionRequest) =>
      !written.has(row.execution_id) && (!storedKey || taken.has(row.execution_id))
    const fresh = batch.admissions.filter(isFresh)
    const decided = decideAdmissions(fresh, { ...found, plans: QUOTAS, now: context.now })
    const settled = batch.settlements.filter(({ row }) => ended.has(row.execution_id))
    context.beforeCommit()
    atCommit()
    await Promise.all([
      decided.changed.length > 0 && send(setBuckets, [jsonRows(decided.changed)]),
      decided.admitted.length > 0 && send(begin, [jsonRows(decided.admitted), nodeId]),
      freeUnused(send, fresh, decided.admitted),
      settled.length > 0 && send(journal, [JSON.stringify(settled.map(({ usage }) => usage))]),
      writeLastSeen(send, settled),
      send('commit'),
    ])
    const admissions = decided.admissions.values()
    return {
      admissions: shareOutcomes(
        batch.admissions,
        batch.admissions.map((request) => {
          const stored = written.get(request.row.execution_id)
          if (stored) return repeatedAdmission(stored, request.row, found.runtimes)
          return isFresh(request) ? (admissions.next().value ?? null) : undefined
        }),
      ),
      calls: batch.calls.map((row) => recorded.has(row.execution_id)),
      settlements: batch.settlements.map((one) => ended.has(one.row.execution_id) || isSame(written, one)),
    }
  })
}

/** Takes the keys that requests came with, and returns the executions whose key was free. */
async function takeKeys(send: Send, requests: readonly AdmissionRequest[], now: number): Promise<Set<string>> {
  const rows = keyRows(requests, now)
  if (rows.length === 0) return new Set()
  const [, { rows: free }] = await Promise.all([
    send(dropKeys, [rows.map(({ key_hash }) => key_hash), now - KEY_LIFETIME_MS]),
    send<Keyed>(addKeys, [jsonRows(rows)]),
  ])
  return new Set(free.map(({ execution_id }) => execution_id))
}

/** Gives back the keys of requests that were not admitted. */
async function freeUnused(send: Send, fresh: readonly AdmissionRequest[], admitted: readonly NewRow[]): Promise<void> {
  const ids = new Set(admitted.map(({ execution_id }) => execution_id))
  const unused = fresh.flatMap(({ storedKey, row }) =>
    storedKey && !ids.has(row.execution_id) ? [{ ...storedKey, ...row }] : [],
  )
  if (unused.length === 0) return
  await send(freeKeys, [unused.map(({ key_hash }) => key_hash), unused.map(({ execution_id }) => execution_id)])
}

async function readWritten(send: Send, { admissions, settlements }: Batch): Promise<Written> {
  const ids = [...admissions, ...settlements].map(({ row }) => row.execution_id)
  const { rows } = await send<StoredEnd>(readEnds, [ids])
  return new Map(rows.map((row) => [row.execution_id, row]))
}

/** Null where another node has ended the execution since: it must not run. */
function repeatedAdmission({ status }: StoredEnd, row: NewRow, runtimes: readonly CurrentRuntime[]): Admission | null {
  if (status !== 'running') return null
  const runtime = runtimes.find(({ runtime_id }) => runtime_id === row.runtime_id)
  return { outcome: 'admitted', tier: runtime?.tier ?? 'free', storedBytes: runtime?.stored_bytes ?? 0 }
}

async function readForAdmission(
  send: Send,
  { admissions }: Batch,
): Promise<{ buckets: BucketRow[]; runtimes: CurrentRuntime[] }> {
  if (admissions.length === 0) return { buckets: [], runtimes: [] }
  const owners = new Set(admissions.map(({ row }) => row.owner_id))
  // The free plan has the most limits: its draws name every bucket that a plan may use.
  const drawn = new Set(admissions.flatMap(({ row }) => QUOTAS.free.draws[row.kind].map(({ bucket }) => bucket)))
  const [{ rows: bucketRows }, { rows: runtimeRows }] = await Promise.all([
    send<BucketRow>(buckets, [[...owners], [...drawn]]),
    send<CurrentRuntime>(runtimes, [[...new Set(admissions.map(({ row }) => row.runtime_id))]]),
  ])
  return { buckets: bucketRows, runtimes: runtimeRows }
}

/** Changes the executions that this node still runs, and returns their ids. */
async function changeRunning(send: Send, sql: string, rows: readonly Keyed[], nodeId: string): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const ids = rows.map(({ execution_id }) => execution_id)
  const { rows: changed } = await send<Keyed>(sql, [jsonRows(rows), ids, nodeId])
  return new Set(changed.map(({ execution_id }) => execution_id))
}

async function writeLastSeen(send: Send, settled: Batch['settlements']): Promise<void> {
  const rows = settled
    .filter(({ endpointAnswered }) => endpointAnswered)
    .map(({ usage, row }) => ({ runtime_id: usage.runtimeId, last_seen_at: row.completed_at }))
    .sort((a, b) => (a.runtime_id < b.runtime_id ? -1 : 1))
  if (rows.length > 0) await send(setLastSeen, [jsonRows(rows), rows.map(({ runtime_id }) => runtime_id)])
}
