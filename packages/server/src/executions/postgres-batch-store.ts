import type { Kysely } from 'kysely'
import { jsonRows } from '../database/given-rows.ts'
import { prepared } from '../database/prepared-client.ts'
import type { Schema } from '../database/schema.ts'
import { inPipeline, type Send } from '../database/transaction.ts'
import { PLANS } from '../usage/rules.ts'
import { decideAdmissions } from './admission-rules.js'
import type { Batch, BatchAt, BucketRow, CurrentRuntime, NewRow, Outcomes, Settlement } from './batch-rules.ts'
import { BEGUN_COLUMNS, ENDED_COLUMNS } from './column-rules.js'

const given = (table: string) => `json_populate_recordset(null::${table}, $1::json) as given`

// Rows are found by `= any` of a list of keys. Joined to the list instead, a table would be read from end to end where its
// statistics say that it is empty, and the plan is kept.
const RUNNING = `executions.execution_id = any($2::text[]) and executions.execution_id = given.execution_id
  and executions.owner_id = given.owner_id and executions.node_id = $3 and executions.completed_at is null`

export const BATCH_STATEMENTS = {
  // Keeps others from removing the node's lease until the commit, and nobody from renewing it.
  lease: prepared('select node_id from nodes where node_id = $1 for key share'),
  // Waits for an earlier transaction of this node's whose commit was not answered.
  leaseAlone: prepared('select node_id from nodes where node_id = $1 for update'),
  known: prepared('select execution_id, status, completed_at from executions where execution_id = any($1::text[])'),
  // In one order everywhere, so that replicas wait for each other and never in a circle.
  buckets: prepared(`select owner_id, bucket, full_at from allowances
    where owner_id = any($1::text[]) and bucket = any($2::text[]) order by owner_id, bucket for update`),
  runtimes: prepared(`select runtime_id, revision,
      (select tier from owners where owners.owner_id = runtimes.owner_id) as tier,
      (select stored_bytes from owners where owners.owner_id = runtimes.owner_id) as stored_bytes
    from runtimes where runtime_id = any($1::text[])`),
  setBuckets: prepared(`insert into allowances (owner_id, bucket, full_at)
    select owner_id, bucket, full_at from ${given('allowances')} where true
    on conflict (owner_id, bucket) do update set full_at = excluded.full_at`),
  begin: prepared(`insert into executions (status, node_id, ${BEGUN_COLUMNS})
    select 'running', $2, ${BEGUN_COLUMNS} from ${given('executions')}`),
  addCalls: prepared(`update executions set calls = coalesce(executions.calls || ',', '') || given.calls,
      call_count = executions.call_count + given.call_count
    from ${given('executions')} where ${RUNNING} returning executions.execution_id`),
  end: prepared(`update executions set ${ENDED_COLUMNS.map((column) => `${column} = given.${column}`)},
      total_tokens = given.input_tokens + given.output_tokens
    from ${given('executions')} where ${RUNNING} returning executions.execution_id`),
  journal: prepared('insert into usage_journal (usages) values ($1)'),
  seen: prepared(`update runtimes set last_seen_at = given.last_seen_at from ${given('runtimes')}
    where runtimes.runtime_id = any($2::text[]) and runtimes.runtime_id = given.runtime_id
      and coalesce(runtimes.last_seen_at, 0) < given.last_seen_at`),
}

const { lease, leaseAlone, known, buckets, runtimes, setBuckets, begin, addCalls, end, journal, seen } =
  BATCH_STATEMENTS

type Named = { execution_id: string }
type Standing = Named & { status: string; completed_at: number | null }

/** Writes a batch in two round trips: what is read and ended, then what depends on it, with the commit. */
export function writePostgresBatch(db: Kysely<Schema>, batch: Batch, at: BatchAt): Promise<Outcomes> {
  return inPipeline(db, async (send, atCommit) => {
    const [held, standing, found, recorded, ended] = await Promise.all([
      beginHeld(send, at),
      at.isRepeat ? readStanding(send, batch) : NONE_STANDS,
      readForAdmission(send, batch),
      changeRunning(send, addCalls, batch.calls, at.nodeId),
      changeRunning(send, end, batch.settlements.map(toEnded), at.nodeId),
    ])
    if (!held) {
      await send('rollback')
      // Nothing is written without a lease; what an earlier try has written stands.
      return {
        admissions: batch.admissions.map(() => null),
        calls: batch.calls.map(() => false),
        settlements: batch.settlements.map((one) => isSame(standing, one)),
      }
    }
    const fresh = batch.admissions.filter(({ row }) => !standing.has(row.execution_id))
    const decided = decideAdmissions(fresh, { ...found, plans: PLANS, now: at.now })
    const settled = batch.settlements.filter(({ row }) => ended.has(row.execution_id))
    at.beforeCommit()
    atCommit()
    await Promise.all([
      decided.changed.length > 0 && send(setBuckets, [jsonRows(decided.changed)]),
      decided.admitted.length > 0 && send(begin, [jsonRows(decided.admitted), at.nodeId]),
      settled.length > 0 && send(journal, [JSON.stringify(settled.map(({ usage }) => usage))]),
      noteSeen(send, settled),
      send('commit'),
    ])
    const admissions = decided.admissions.values()
    return {
      admissions: batch.admissions.map(({ row }) =>
        standing.has(row.execution_id) ? toldAgain(standing, row, found) : (admissions.next().value ?? STALE),
      ),
      calls: batch.calls.map((row) => recorded.has(row.execution_id)),
      settlements: batch.settlements.map((one) => ended.has(one.row.execution_id) || isSame(standing, one)),
    }
  })
}

const NONE_STANDS: ReadonlyMap<string, Standing> = new Map()
const STALE = { outcome: 'stale' } as const

async function beginHeld(send: Send, { nodeId, isRepeat, isTakeOver }: BatchAt): Promise<boolean> {
  const [, { rows }] = await Promise.all([send('begin'), send(isRepeat ? leaseAlone : lease, [nodeId])])
  return isTakeOver || rows.length > 0
}

/** The rows that an earlier try of the batch has written, whose commit was not answered. */
async function readStanding(send: Send, { admissions, settlements }: Batch): Promise<ReadonlyMap<string, Standing>> {
  const names = [...admissions, ...settlements].map(({ row }) => row.execution_id)
  const { rows } = await send<Standing>(known, [names])
  return new Map(rows.map((row) => [row.execution_id, row]))
}

function isSame(standing: ReadonlyMap<string, Standing>, { row }: Settlement): boolean {
  const stored = standing.get(row.execution_id)
  return stored?.status === row.status && stored.completed_at === row.completed_at
}

/** Null where it has been ended meanwhile: another node took over what this one ran, and nothing may be run of it. */
function toldAgain(
  standing: ReadonlyMap<string, Standing>,
  row: NewRow,
  { runtimes }: { runtimes: readonly CurrentRuntime[] },
): Outcomes['admissions'][number] {
  if (standing.get(row.execution_id)?.status !== 'running') return null
  const runtime = runtimes.find(({ runtime_id }) => runtime_id === row.runtime_id)
  return { outcome: 'admitted', tier: runtime?.tier ?? 'free', storedBytes: runtime?.stored_bytes ?? 0 }
}

async function readForAdmission(
  send: Send,
  { admissions }: Batch,
): Promise<{ buckets: BucketRow[]; runtimes: CurrentRuntime[] }> {
  if (admissions.length === 0) return { buckets: [], runtimes: [] }
  const owners = new Set(admissions.map(({ row }) => row.owner_id))
  // The free plan is the most limited: its draws name every bucket that any plan may touch.
  const drawn = new Set(admissions.flatMap(({ door }) => PLANS.free.draws[door].map(({ bucket }) => bucket)))
  const [held, current] = await Promise.all([
    send<BucketRow>(buckets, [[...owners], [...drawn]]),
    send<CurrentRuntime>(runtimes, [[...new Set(admissions.map(({ row }) => row.runtime_id))]]),
  ])
  return { buckets: held.rows, runtimes: current.rows }
}

/** Changes those of the executions that this node still runs, and tells which. */
async function changeRunning(send: Send, sql: string, rows: readonly Named[], nodeId: string): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const names = rows.map(({ execution_id }) => execution_id)
  const { rows: changed } = await send<Named>(sql, [jsonRows(rows), names, nodeId])
  return new Set(changed.map(({ execution_id }) => execution_id))
}

const toEnded = ({ row }: Settlement) => row

async function noteSeen(send: Send, settled: Batch['settlements']): Promise<void> {
  const heard = settled.filter(({ heardFrom }) => heardFrom)
  if (heard.length === 0) return
  const latest = new Map(heard.map(({ usage, row }) => [usage.runtimeId, row.completed_at]))
  const rows = [...latest].sort(([a], [b]) => (a < b ? -1 : 1))
  const seenAt = rows.map(([runtime_id, last_seen_at]) => ({ runtime_id, last_seen_at }))
  await send(seen, [jsonRows(seenAt), rows.map(([runtimeId]) => runtimeId)])
}
