import type { ExecutionKind, Tier } from '@svc/contract'
import type { Insertable, Kysely } from 'kysely'
import type { CapabilityCallsTable, ExecutionsTable, Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { type Door, drawsFor, type Grant, grant } from '../usage/rules.ts'

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
  | { outcome: 'admitted'; grant: Extract<Grant, { ok: true }> }
  | { outcome: 'refused'; grant: Refusal }
  | { outcome: 'stale' }

export type Refusal = Extract<Grant, { ok: false }>

/**
 * Admits a batch in one transaction: locks the owners' buckets in one order, confirms each runtime's revision, takes
 * units request by request, and writes a `running` row for each that got in. Exact for any number of replicas.
 */
export async function admitBatch(
  db: Kysely<Schema>,
  requests: readonly AdmissionRequest[],
  at: { nodeId: string; now: number },
): Promise<Admission[]> {
  return inTransaction(db, async (tx) => {
    const buckets = await lockBuckets(tx, requests)
    const runtimes = await readRevisions(tx, requests)
    const changed = new Map<string, BucketRow>()
    const admissions = requests.map((request) => decide(request, runtimes, buckets, changed, at.now))
    const admitted = requests.filter((_, index) => admissions[index]?.outcome === 'admitted')
    await writeBuckets(tx, [...changed.values()])
    await writeExecutions(tx, admitted, at.nodeId)
    await insertCalls(
      tx,
      admitted.flatMap(({ call, ownerId, execution }) =>
        call ? [{ ...call, ownerId, executionId: execution.executionId }] : [],
      ),
    )
    return admissions
  })
}

interface BucketRow {
  owner_id: string
  bucket: string
  full_at: number
}

interface CurrentRuntime {
  revision: number
  tier: Tier
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
  const draws = drawsFor(runtime.tier, request.runtimeId, request.door)
  const own = buckets.get(request.ownerId) ?? new Map<string, number>()
  buckets.set(request.ownerId, own)
  const granted = grant(own, draws, now)
  if (!granted.ok) return { outcome: 'refused', grant: granted }
  for (const { bucket } of draws) {
    const row = { owner_id: request.ownerId, bucket, full_at: own.get(bucket) ?? 0 }
    changed.set(`${request.ownerId} ${bucket}`, row)
  }
  return { outcome: 'admitted', grant: granted }
}

async function lockBuckets(tx: Tx, requests: readonly AdmissionRequest[]): Promise<Map<string, Map<string, number>>> {
  const owners = new Set(requests.map(({ ownerId }) => ownerId))
  // The free plan is the most limited, so its draws name every bucket that any plan may touch.
  const names = new Set(
    requests.flatMap(({ runtimeId, door }) => drawsFor('free', runtimeId, door).map(({ bucket }) => bucket)),
  )
  const rows = await tx
    .selectFrom('allowances')
    .selectAll()
    .where('owner_id', 'in', [...owners])
    .where('bucket', 'in', [...names])
    .orderBy('owner_id')
    .orderBy('bucket')
    .forUpdate()
    .execute()
  const buckets = new Map<string, Map<string, number>>()
  for (const row of rows) {
    const own = buckets.get(row.owner_id) ?? new Map<string, number>()
    buckets.set(row.owner_id, own.set(row.bucket, row.full_at))
  }
  return buckets
}

async function readRevisions(tx: Tx, requests: readonly AdmissionRequest[]): Promise<Map<string, CurrentRuntime>> {
  const rows = await tx
    .selectFrom('runtimes')
    .innerJoin('owners', 'owners.owner_id', 'runtimes.owner_id')
    .select(['runtimes.runtime_id', 'runtimes.revision', 'owners.tier'])
    .where('runtimes.runtime_id', 'in', [...new Set(requests.map(({ runtimeId }) => runtimeId))])
    .execute()
  return new Map(rows.map((row) => [row.runtime_id, { revision: row.revision, tier: row.tier }]))
}

async function writeBuckets(tx: Tx, rows: readonly BucketRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('allowances')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'bucket']).doUpdateSet((eb) => ({ full_at: eb.ref('excluded.full_at') })),
    )
    .execute()
}

async function writeExecutions(tx: Tx, admitted: readonly AdmissionRequest[], nodeId: string): Promise<void> {
  if (admitted.length === 0) return
  const rows: Insertable<ExecutionsTable>[] = admitted.map(({ ownerId, runtimeId, execution, call }) => ({
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
  }))
  await tx.insertInto('executions').values(rows).execute()
}

export interface DispatchedCall extends NewCall {
  ownerId: string
  executionId: string
}

/** Writes calls as `dispatched`, before they are. */
export async function insertCalls(db: Kysely<Schema>, calls: readonly DispatchedCall[]): Promise<void> {
  if (calls.length === 0) return
  const rows: Insertable<CapabilityCallsTable>[] = calls.map((call) => ({
    owner_id: call.ownerId,
    execution_id: call.executionId,
    call_id: call.callId,
    ordinal: call.ordinal,
    capability: call.capability,
    step: call.step,
    status: 'dispatched',
    input: call.input,
    started_at: call.startedAt,
  }))
  await db.insertInto('capability_calls').values(rows).execute()
}
