import type { ExecutionKind, ExecutionSurface, JsonObject } from '@svc/contract'
import { isForCandidate, type SplitSubject, splitPoint } from '../deployments/split-rules.ts'
import type { Redactor } from '../dispatch/redact.ts'
import type { SignedInUser } from '../end-users/signed-in-user.ts'
import { busy, databaseAway, internal, limited } from '../errors.ts'
import type { JsonDocument } from '../lib/json-document.ts'
import { unlessStopped } from '../lib/stop-signal.ts'
import { type CachedRuntime, revalidating } from '../runtimes/serving-cache.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import type { Secret } from '../secrets/secret.ts'
import { CommitUnknownError } from '../store/errors.ts'
import type { QuotaName } from '../usage/quota-rules.ts'
import { isPastBudget } from '../usage/stored-bytes-rules.ts'
import { TRUNCATED } from '../usage/truncated.js'
import type { AdmissionRequest, StoredIdempotencyKey } from './batch-rules.ts'
import { QueueFullError } from './batch-writer.ts'
import { callText, type NewCall } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { truncatedShape } from './payload-rules.ts'
import type { ExecutionScope } from './running.ts'
import type { NewRow } from './settlement-rules.ts'

// A runtime that changes this often during one request is being deployed in a loop.
const MAX_TRIES = 5

export interface ExecutionRequest<C extends NewCall | null> {
  kind: ExecutionKind
  surface?: ExecutionSurface | undefined
  metadata: JsonDocument<JsonObject> | undefined
  /** JSON text. */
  messageShape: string
  endUserToken: Secret | undefined
  /** The signed-in end user, in place of a token. */
  endUser?: SignedInUser | undefined
  redactor: Redactor
  /** The one call of an execution without a model, stored with its admission. */
  call: C
  storedKey?: StoredIdempotencyKey | undefined
}

/** Who is served, where a candidate may serve. Null: stable or candidate is chosen at random. */
export type Split = { subject(): SplitSubject | null }

/** Another request has the `Idempotency-Key`. Nothing was charged. */
export class KeyTakenError extends Error {}

export interface Caller {
  cached: CachedRuntime
  scope: ExecutionScope
  /** Absent where the stable deployment alone serves. */
  split?: Split | undefined
}

/** An execution that was charged and stored as `running`. */
export interface Admitted<C extends NewCall | null> {
  executionId: string
  row: NewRow
  runtime: ServingRuntime
  request: ExecutionRequest<C>
}

/**
 * Validates a request on the cached runtime, and admits it if the runtime is still the same in the store. Otherwise, or
 * where the request was refused, the runtime is read again and the request validated anew. A refusal costs nothing.
 */
export async function admit<C extends NewCall | null>(
  deps: ExecutionDeps,
  { cached, scope, split }: Caller,
  validate: (runtime: ServingRuntime, startedAt: number) => ExecutionRequest<C> | Promise<ExecutionRequest<C>>,
): Promise<Admitted<C>> {
  if (!deps.lease.isHeld()) throw databaseAway()
  deps.diskSpace.require()
  const executionId = deps.newId('execution')
  const startedAt = deps.clock.now()
  const choose = createChoice(deps, split)
  const validateInTime = (runtime: ServingRuntime) => {
    const validated = validate(choose(runtime).runtime, startedAt)
    return validated instanceof Promise ? refuseStopped(validated, scope) : validated
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const request = await revalidating(cached, validateInTime)
    const { revision } = cached.runtime
    const { runtime, ...side } = choose(cached.runtime)
    const begun = { execution_id: executionId, started_at: startedAt, ...side }
    const row = rowOf(runtime, request, { begun, storedBytes: deps.limits.storedBytes })
    const admission = await writeAdmission(deps, { revision, row, storedKey: request.storedKey })
    if (admission.outcome === 'repeated') throw new KeyTakenError()
    if (admission.outcome === 'admitted') {
      scope.owner = { ownerId: row.owner_id, runtimeId: row.runtime_id }
      // The batch truncated the payloads of an account past its storage limit. Settlement rewrites all but the metadata.
      const isCut = isPastBudget(admission.tier, admission.storedBytes)
      const stored = isCut ? { ...row, metadata: row.metadata && TRUNCATED } : row
      return { executionId, row: stored, runtime, request }
    }
    if (admission.outcome === 'refused') {
      const { limit, retryAfterMs } = admission.refusal
      deps.metrics.admissionRefused(limit)
      throw limited(REFUSALS[limit], retryAfterMs)
    }
    await cached.refresh()
  }
  throw internal(new Error(`runtime ${cached.runtime.runtimeId} changed ${MAX_TRIES} times during one admission`))
}

type Side = { runtime: ServingRuntime } & Pick<NewRow, 'trafficSetAt' | 'usesCandidateEndpoint'>

/** Chooses between stable and candidate, the same way at each try. */
function createChoice(deps: Pick<ExecutionDeps, 'keyring' | 'random'>, split: Split | undefined) {
  let point: number | null = null
  return (stable: ServingRuntime): Side => {
    const { candidate, runtimeId } = stable
    if (!split || !candidate?.traffic) return { runtime: stable, trafficSetAt: undefined, usesCandidateEndpoint: false }
    point ??= splitPoint(deps, runtimeId, split.subject())
    const runtime = isForCandidate(point, candidate.traffic) ? candidate.runtime : stable
    return { runtime, trafficSetAt: candidate.since, usesCandidateEndpoint: runtime.endpoint !== stable.endpoint }
  }
}

type Begun = Pick<NewRow, 'execution_id' | 'started_at'> & Omit<Side, 'runtime'>

function rowOf(
  runtime: ServingRuntime,
  { kind, surface, metadata, messageShape, redactor, call }: ExecutionRequest<NewCall | null>,
  { begun, storedBytes }: { begun: Begun; storedBytes: number },
): NewRow {
  return {
    owner_id: runtime.ownerId,
    runtime_id: runtime.runtimeId,
    project_id: runtime.projectId,
    deployment_version: runtime.deployment?.version ?? null,
    kind,
    surface: surface ?? null,
    message_shape: truncatedShape(messageShape, storedBytes),
    metadata: metadata ? redactor.jsonText(metadata.text) : null,
    call_count: call ? 1 : 0,
    calls: call && callText(call),
    ...begun,
  }
}

/** Throws where it is unknown whether the execution was admitted; it is failed once the database answers. */
async function writeAdmission(deps: ExecutionDeps, request: AdmissionRequest) {
  const { row } = request
  const { batchWriter, settlements, storage, diskSpace } = deps
  try {
    const admission = await batchWriter.admit(request)
    if (admission === null) throw databaseAway()
    // The database answers again: the retry queue need not wait for the next renewal.
    if (settlements.unknownAdmissions > 0) void settlements.retryQueued()
    if (admission.outcome === 'admitted') {
      storage.note(row.owner_id, admission)
      diskSpace.noteWrite()
    }
    return admission
  } catch (error) {
    if (error instanceof CommitUnknownError) settlements.enqueueUnknownAdmission(row)
    throw error instanceof QueueFullError ? busy() : error
  }
}

async function refuseStopped<T extends object>(validating: Promise<T>, { signal }: ExecutionScope): Promise<T> {
  const validated = await unlessStopped(validating, signal)
  if (validated === null) throw busy()
  return validated
}

const REFUSALS: Readonly<Record<QuotaName, string>> = {
  anonymous: 'The share of this runtime’s quota that is open to anonymous calls is used up for now.',
  quota: 'The quota of this runtime’s plan is used up for now.',
}
