import { JsonObject } from '@svc/contract'
import { HeldBytes } from '../admission/in-flight.ts'
import { approvalsOfExecution } from '../approvals/list-store.ts'
import { findCallEndpoint } from '../deployments/call-endpoint-store.ts'
import type { DispatchCall } from '../dispatch/call-types.ts'
import { AppError } from '../errors.ts'
import { EMPTY_OBJECT, JsonDocument } from '../lib/json-document.ts'
import { Stop } from '../lib/stop-signal.ts'
import { lookUpById } from '../runtimes/serving-cache.ts'
import { readSecrets, type ServingRuntime, sidesOf } from '../runtimes/serving-runtime.ts'
import type { StoredCall, StoredReconciled } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { readTraceBytes } from './history-store.ts'
import { addressHash, parseReconcileAnswer } from './reconcile-rules.ts'
import { type Claim, claimReconcile, type DueExecution, readDue, storeReconciled } from './reconcile-store.ts'
import { executionTraceparent } from './send-call.ts'

/** How often due requests are looked for. */
export const RECONCILE_MS = 1_000

/** Executions that are reconciled at once, of all accounts and of one. */
const AT_ONCE = 50
const AT_ONCE_OF_ACCOUNT = 5

export type ReconcileDeps = Pick<
  ExecutionDeps,
  'db' | 'clock' | 'limits' | 'dispatcher' | 'inFlight' | 'serving' | 'schemas' | 'keyring' | 'logger'
>

/** How long an account without room for a request waits: the others must not wait behind it. */
const NO_ROOM_PAUSE_MS = 10_000

/** Asks endpoints what became of unknown calls. Any number of replicas may do so at once: each request is made once. */
export function createReconciler(deps: ReconcileDeps) {
  const stopping = new Stop()
  /** By execution. */
  const underWay = new Map<string, { ownerId: string; ended: Promise<void> }>()
  /** By account, until when it waits for room. */
  const withoutRoom = new Map<string, number>()
  const all = () => [...underWay.values()]
  const isBusy = (ownerId: string) =>
    withoutRoom.has(ownerId) || all().filter((one) => one.ownerId === ownerId).length >= AT_ONCE_OF_ACCOUNT
  const start = (due: DueExecution, now: number) => {
    const ended = reconcile(deps, due, stopping)
      .then((hadRoom) => void (hadRoom || withoutRoom.set(due.ownerId, now + NO_ROOM_PAUSE_MS)))
      .catch((err: unknown) => deps.logger.error({ err, executionId: due.executionId }, RECONCILE_FAILED))
      .finally(() => underWay.delete(due.executionId))
    underWay.set(due.executionId, { ownerId: due.ownerId, ended })
  }
  return {
    /** Begins all requests that are due and have room. Does not wait for their answers. */
    async begin(): Promise<void> {
      const [limit, now] = [AT_ONCE - underWay.size, deps.clock.now()]
      if (limit <= 0 || stopping.aborted) return
      for (const [ownerId, until] of withoutRoom) if (until <= now) withoutRoom.delete(ownerId)
      const exceptOwners = [...new Set([...all().map(({ ownerId }) => ownerId), ...withoutRoom.keys()])].filter(isBusy)
      for (const due of await readDue(deps.db, { now, exceptOwners, ofEach: AT_ONCE_OF_ACCOUNT, limit })) {
        if (!underWay.has(due.executionId) && !isBusy(due.ownerId)) start(due, now)
      }
    },
    /** Resolves when the requests under way have been answered. */
    async idle(): Promise<void> {
      await Promise.all(all().map(({ ended }) => ended))
    },
    /** Ends the requests under way. Those that follow them are made as they are due. */
    async stop(): Promise<void> {
      stopping.abort()
      await this.idle()
    },
  }
}

const RECONCILE_FAILED = 'a reconcile request failed'

/** Makes the due request for one execution, unless another replica does. False: the account has no room for its calls. */
async function reconcile(deps: ReconcileDeps, due: DueExecution, signal: Stop): Promise<boolean> {
  const { db, clock, limits } = deps
  const held = new HeldBytes(deps.inFlight, due.ownerId)
  try {
    const shortage = held.grow(2 * (await readTraceBytes(db, due.ownerId, due.executionId)))
    if (shortage !== null) return false
    const claimed = await claimReconcile(db, due, clock.now())
    // A later deployment may answer the next request.
    const runtime = claimed && (await findPresent(deps, due.runtimeId))
    if (!runtime) return true
    const told = await reconcileCalls(deps, { due, claimed, runtime, held, signal })
    if (told.size > 0) await storeReconciled(db, due, claimed, { told, maxBytes: limits.storedBytes })
    return true
  } finally {
    held.release()
  }
}

interface Reconciling {
  due: DueExecution
  claimed: Claim
  runtime: ServingRuntime
  held: HeldBytes
  signal: Stop
}

async function reconcileCalls(
  deps: ReconcileDeps,
  { due, claimed, runtime: present, ...sent }: Reconciling,
): Promise<Map<string, StoredReconciled>> {
  const { executionId } = due
  const { calls, metadata } = claimed
  const told = new Map<string, StoredReconciled>()
  if (calls.length === 0) return told
  const rows = await approvalsOfExecution(deps.db, due.ownerId, executionId)
  const approvals = new Map(rows.filter(({ status }) => status === 'approved').map((row) => [row.call_id, row]))
  const former = await formerEndpoint(deps, present, claimed)
  for (const call of calls) {
    if (sent.signal.aborted) break
    // Another endpoint has not got this call: it would say that it never came.
    const endpoint = presentEndpoint(present, call) ?? former
    if (!endpoint?.reconcile || addressHash(endpoint.address) !== call.sentTo) continue
    const readAgain = () => readSecrets(deps, present.runtimeId)
    const target = { ...present, endpoint: endpoint.address, readSecrets: readAgain }
    const request = reconcileCallOf(call, { executionId, metadata, approval: approvals.get(call.callId) })
    const result = await deps.dispatcher.dispatch(target, { ...request, ...sent })
    const answer = parseReconcileAnswer(result, deps.clock.now())
    if (answer) told.set(call.callId, answer)
  }
  return told
}

interface ReconcileEndpoint {
  address: string
  /** The deployment declares `reconcile`. */
  reconcile: boolean
}

/** The endpoint that a call was sent to, where the stable deployment or a candidate still serves there. */
function presentEndpoint(runtime: ServingRuntime, { sentTo }: StoredCall): ReconcileEndpoint | undefined {
  const there = sidesOf(runtime).filter(({ endpoint }) => endpoint !== null && addressHash(endpoint) === sentTo)
  const [address] = there.flatMap(({ endpoint }) => endpoint ?? [])
  return address === undefined ? undefined : { address, reconcile: there.some((side) => side.deployment?.reconcile) }
}

/** The endpoint of the deployment that made the calls, where it serves no more: after a rollback, or the end of a candidate. */
async function formerEndpoint(
  { db }: ReconcileDeps,
  runtime: ServingRuntime,
  { calls, deploymentVersion: version }: Claim,
): Promise<ReconcileEndpoint | undefined> {
  if (version === null || calls.every((call) => presentEndpoint(runtime, call))) return undefined
  const called = await findCallEndpoint(db, { ...runtime, version })
  return called?.endpoint ? { address: called.endpoint, reconcile: called.reconcile } : undefined
}

/** The runtime as it is now; null where there is none. */
async function findPresent(deps: ReconcileDeps, runtimeId: string): Promise<ServingRuntime | null> {
  try {
    const cached = await lookUpById(deps, { runtimeId, what: 'The runtime' }, () => true)
    // The cached one may have another endpoint.
    if (!cached.isFresh) await cached.refresh()
    return cached.runtime
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

interface ReconciledExecution {
  executionId: string
  metadata: string | null
  /** Of a call that a person approved. */
  approval: { approval_id: string; preview_hash: string } | undefined
}

/** Input and metadata are as they are stored: a large one is cut. There is no end user's token, which is not stored. */
function reconcileCallOf(
  { callId, capability, input }: StoredCall,
  { executionId, metadata, approval }: ReconciledExecution,
): DispatchCall {
  return {
    mode: 'reconcile',
    executionId,
    callId,
    capability,
    input: JsonDocument.of(JsonObject.catch({}).parse(input)),
    metadata: metadata === null ? EMPTY_OBJECT : JsonDocument.of(JsonObject.parse(JSON.parse(metadata))),
    endUserToken: undefined,
    traceparent: executionTraceparent(executionId),
    ...(approval && { approval: { approvalId: approval.approval_id, previewHash: approval.preview_hash } }),
  }
}
