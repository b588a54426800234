import type { ExecutionKind, Tier } from '@svc/contract'
import type { Kysely } from 'kysely'
import { insertStatement, rowStatement, runRows } from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import { commitAlong, type Ended, endTransaction, inTransaction, type Tx } from '../database/transaction.ts'
import { type Door, drawsFor, type Grant, grant } from '../usage/rules.ts'
import { isPastBudget, TRUNCATED } from '../usage/stored-bytes-rules.ts'

export interface NewCall {
  callId: string
  ordinal: number
  capability: string
  step: number
  /** JSON text. */
  input: string
  startedAt: number
}

export interface AdmissionRequest {
  door: Door
  ownerId: string
  runtimeId: string
  /** The revision of the runtime on which the request was judged. */
  revision: number
  execution: {
    executionId: string
    projectId: string
    deploymentVersion: number | null
    kind: ExecutionKind
    /** JSON text. */
    messageShape: string
    /** JSON text. */
    metadata: string | null
    startedAt: number
  }
  /** The one call of an execution that has no loop, written together with it. */
  call: NewCall | null
}

/** `stale`: the runtime has changed since it was read; nothing was charged, and the caller reads it again. */
export type Admission =
  | { outcome: 'admitted'; tier: Tier; storedBytes: number }
  | { outcome: 'refused'; grant: Refusal }
  | { outcome: 'stale' }

export type Refusal = Extract<Grant, { ok: false }>

/**
 * Admits a batch in one transaction: locks the owners' buckets in one order, confirms each runtime's revision, takes
 * units request by request, and writes a `running` row for each that got in. Exact for any number of replicas. Where the
 * answer to the commit was lost, {@link wasAdmitted} tells whether it took place.
 */
export async function admitBatch(
  db: Kysely<Schema>,
  requests: readonly AdmissionRequest[],
  at: { nodeId: string; now: number },
): Promise<Ended<Admission[]>> {
  return endTransaction(db, async (tx) => {
    const [buckets, runtimes] = await Promise.all([lockBuckets(tx, requests), readRevisions(tx, requests)])
    const changed = new Map<string, BucketRow>()
    const admissions = requests.map((request) => decide(request, runtimes, buckets, changed, at.now))
    const admitted = requests.flatMap((request, index) => withinBudget(request, admissions[index]))
    const calls = admitted.flatMap(({ call, ownerId, execution }) =>
      call ? [{ ...call, ownerId, executionId: execution.executionId }] : [],
    )
    await Promise.all([
      writeBuckets(tx, changed),
      writeExecutions(tx, admitted, at.nodeId),
      writeCalls(tx, calls),
      commitAlong(tx),
    ])
    return admissions
  })
}

// The row of an admitted request; payloads are left out where the account has no room for them.
function withinBudget(request: AdmissionRequest, admission: Admission | undefined): AdmissionRequest[] {
  if (admission?.outcome !== 'admitted') return []
  if (!isPastBudget(admission.tier, admission.storedBytes)) return [request]
  const { execution, call } = request
  const metadata = execution.metadata === null ? null : TRUNCATED
  return [
    {
      ...request,
      execution: { ...execution, metadata, messageShape: '[]' },
      call: call && { ...call, input: TRUNCATED },
    },
  ]
}

interface BucketRow {
  owner_id: string
  bucket: string
  full_at: number
}

interface CurrentRuntime {
  revision: number
  tier: Tier
  stored_bytes: number
}

function decide(
  request: AdmissionRequest,
  runtimes: Map<string, CurrentRuntime>,
  buckets: Map<string, Map<string, number>>,
  changed: Map<string, BucketRow>,
  now: number,
): Admission {
  const runtime = runtimes.get(request.runtimeId)
  if (!runtime || runtime.revision !== request.revision) return { outcome: 'stale' }
  const draws = drawsFor(runtime.tier, request.door)
  const own = buckets.get(request.ownerId) ?? new Map<string, number>()
  buckets.set(request.ownerId, own)
  const before = new Map(own)
  const granted = grant(own, draws, now)
  for (const [bucket, fullAt] of own) {
    if (fullAt === before.get(bucket)) continue
    changed.set(`${request.ownerId} ${bucket}`, { owner_id: request.ownerId, bucket, full_at: fullAt })
  }
  if (!granted.ok) return { outcome: 'refused', grant: granted }
  return { outcome: 'admitted', tier: runtime.tier, storedBytes: runtime.stored_bytes }
}

// In one order everywhere, so that replicas wait for each other and never in a circle.
const LOCK_BUCKETS = rowStatement(
  { owner_id: 'text', bucket: 'text' },
  ({ given, forUpdateOf }) => `select allowances.owner_id, allowances.bucket, allowances.full_at
    from ${given} join allowances on allowances.owner_id = given.owner_id and allowances.bucket = given.bucket
    order by allowances.owner_id, allowances.bucket ${forUpdateOf('allowances')}`,
)

async function lockBuckets(tx: Tx, requests: readonly AdmissionRequest[]): Promise<Map<string, Map<string, number>>> {
  const named = new Map<string, { owner_id: string; bucket: string }>()
  for (const { ownerId, door } of requests) {
    // The free plan is the most limited, so its draws name every bucket that any plan may touch.
    for (const { bucket } of drawsFor('free', door)) {
      named.set(`${ownerId} ${bucket}`, { owner_id: ownerId, bucket })
    }
  }
  const buckets = new Map<string, Map<string, number>>()
  for (const row of await runRows<BucketRow, typeof LOCK_BUCKETS.columns>(tx, LOCK_BUCKETS, [...named.values()])) {
    const own = buckets.get(row.owner_id) ?? new Map<string, number>()
    buckets.set(row.owner_id, own.set(row.bucket, row.full_at))
  }
  return buckets
}

const READ_REVISIONS = rowStatement(
  { owner_id: 'text', runtime_id: 'text' },
  ({ given }) => `select runtimes.runtime_id, runtimes.revision, owners.tier, owners.stored_bytes
    from ${given}
    join runtimes on runtimes.owner_id = given.owner_id and runtimes.runtime_id = given.runtime_id
    join owners on owners.owner_id = given.owner_id`,
)

async function readRevisions(tx: Tx, requests: readonly AdmissionRequest[]): Promise<Map<string, CurrentRuntime>> {
  const named = new Map(
    requests.map(({ ownerId, runtimeId }) => [runtimeId, { owner_id: ownerId, runtime_id: runtimeId }]),
  )
  type Answer = CurrentRuntime & { runtime_id: string }
  const rows = await runRows<Answer, typeof READ_REVISIONS.columns>(tx, READ_REVISIONS, [...named.values()])
  return new Map(rows.map((row) => [row.runtime_id, row]))
}

const WRITE_BUCKETS = insertStatement(
  'allowances',
  { owner_id: 'text', bucket: 'text', full_at: 'bigint' },
  'on conflict (owner_id, bucket) do update set full_at = excluded.full_at',
)

async function writeBuckets(tx: Tx, changed: Map<string, BucketRow>): Promise<void> {
  const inOrder = [...changed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await runRows(tx, WRITE_BUCKETS, inOrder)
}

const INSERT_EXECUTIONS = insertStatement('executions', {
  owner_id: 'text',
  execution_id: 'text',
  runtime_id: 'text',
  project_id: 'text',
  deployment_version: 'bigint',
  kind: 'text',
  status: 'text',
  message_shape: 'text',
  metadata: 'text',
  call_count: 'bigint',
  started_at: 'bigint',
  node_id: 'text',
})

async function writeExecutions(tx: Tx, admitted: readonly AdmissionRequest[], nodeId: string): Promise<void> {
  const rows = admitted.map((request) => toExecutionRow(request, nodeId))
  await runRows(tx, INSERT_EXECUTIONS, rows)
}

function toExecutionRow({ ownerId, runtimeId, execution, call }: AdmissionRequest, nodeId: string) {
  return {
    owner_id: ownerId,
    execution_id: execution.executionId,
    runtime_id: runtimeId,
    project_id: execution.projectId,
    deployment_version: execution.deploymentVersion,
    kind: execution.kind,
    status: 'running',
    message_shape: execution.messageShape,
    metadata: execution.metadata,
    call_count: call ? 1 : 0,
    started_at: execution.startedAt,
    node_id: nodeId,
  }
}

const PROBE_EXECUTION = insertStatement(
  'executions',
  INSERT_EXECUTIONS.columns,
  'on conflict (owner_id, execution_id) do nothing returning execution_id',
)

/**
 * Whether an admission took place that was at its commit when its connection broke. Waits for a commit that is still under
 * way: a row of the same name cannot be inserted beside it. False means that it never will take place.
 */
export async function wasAdmitted(db: Kysely<Schema>, request: AdmissionRequest, nodeId: string): Promise<boolean> {
  const { ownerId, execution } = request
  return inTransaction(db, async (tx) => {
    const probed = await runRows(tx, PROBE_EXECUTION, [toExecutionRow(request, nodeId)])
    if (probed.length === 0) return true
    await tx
      .deleteFrom('executions')
      .where('owner_id', '=', ownerId)
      .where('execution_id', '=', execution.executionId)
      .execute()
    return false
  })
}

type CallOfExecution = NewCall & { ownerId: string; executionId: string }

/** What a call that is dispatched is written with. */
export const CALL_COLUMNS = {
  owner_id: 'text',
  execution_id: 'text',
  call_id: 'text',
  ordinal: 'bigint',
  capability: 'text',
  step: 'bigint',
  status: 'text',
  input: 'text',
  started_at: 'bigint',
} as const

const INSERT_CALLS = insertStatement('capability_calls', CALL_COLUMNS)

async function writeCalls(tx: Tx, calls: readonly CallOfExecution[]): Promise<void> {
  await runRows(tx, INSERT_CALLS, calls.map(toDispatchedRow))
}

/** A call as `dispatched`, before it is. */
export function toDispatchedRow(call: CallOfExecution) {
  return {
    owner_id: call.ownerId,
    execution_id: call.executionId,
    call_id: call.callId,
    ordinal: call.ordinal,
    capability: call.capability,
    step: call.step,
    status: 'dispatched',
    input: call.input,
    started_at: call.startedAt,
  }
}
