import { JsonObject } from '@svc/contract'
import { HeldBytes } from '../admission/in-flight.ts'
import { approvalsOfExecution } from '../approvals/list-store.ts'
import { AppError } from '../errors.ts'
import { EMPTY_OBJECT, JsonDocument } from '../lib/json-document.ts'
import { Stop } from '../lib/stop-signal.ts'
import { lookUpById } from '../runtimes/serving.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import { readSecrets } from '../runtimes/signing-secret.ts'
import type { StoredCall, StoredReconciled } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { readTraceBytes } from './history-store.ts'
import { readAnswer } from './reconcile-rules.ts'
import { claimQuestion, type DueExecution, readDue, readUnknown, storeReconciled } from './reconcile-store.ts'
import { executionTraceparent } from './send-call.ts'

/** How often due questions are looked for. */
export const RECONCILE_MS = 1_000

/** Executions that are asked about at once, of all accounts and of one. */
const AT_ONCE = 50
const AT_ONCE_OF_ACCOUNT = 5

export type ReconcileDeps = Pick<
  ExecutionDeps,
  'db' | 'clock' | 'limits' | 'dispatcher' | 'inFlight' | 'serving' | 'schemas' | 'keyring' | 'logger'
>

/** Asks endpoints what became of unknown calls. Any number of replicas may do so at once: each question is asked once. */
export function createReconciler(deps: ReconcileDeps) {
  const stopping = new Stop()
  const underWay = new Map<Promise<void>, string>()
  const isBusy = (ownerId: string) =>
    [...underWay.values()].filter((owner) => owner === ownerId).length >= AT_ONCE_OF_ACCOUNT
  return {
    /** Begins all questions that are due and have room. Does not wait for their answers. */
    async begin(): Promise<void> {
      const [limit, now] = [AT_ONCE - underWay.size, deps.clock.now()]
      if (limit <= 0 || stopping.aborted) return
      const exceptOwners = [...new Set(underWay.values())].filter(isBusy)
      for (const due of await readDue(deps.db, { now, exceptOwners, ofEach: AT_ONCE_OF_ACCOUNT, limit })) {
        if (isBusy(due.ownerId) || !(await claimQuestion(deps.db, due, now))) continue
        const asking = ask(deps, due, stopping)
          .catch((err: unknown) => deps.logger.error({ err, executionId: due.executionId }, NOT_ASKED))
          .finally(() => underWay.delete(asking))
        underWay.set(asking, due.ownerId)
      }
    },
    /** Resolves when the questions under way have been answered. */
    async idle(): Promise<void> {
      await Promise.all(underWay.keys())
    },
    /** Ends the questions under way. Those that follow them are asked as they are due. */
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(underWay.keys())
    },
  }
}

const NOT_ASKED = 'an endpoint could not be asked what became of a call'

async function ask(deps: ReconcileDeps, due: DueExecution, signal: Stop): Promise<void> {
  const runtime = await findRuntime(deps, due.runtimeId)
  // A later deployment may answer the next question.
  if (runtime === null) return
  const held = new HeldBytes(deps.inFlight, due.ownerId)
  const told = new Map<string, StoredReconciled>()
  try {
    // Where the account has no room, the next question is a later one.
    if (held.grow(2 * (await readTraceBytes(deps.db, due.ownerId, due.executionId)))) return
    const { calls, metadata } = await readUnknown(deps.db, due)
    const asked = await approvalsOfExecution(deps.db, due.ownerId, due.executionId)
    const approvals = new Map(asked.filter(({ status }) => status === 'approved').map((row) => [row.call_id, row]))
    for (const call of calls) {
      if (signal.aborted) break
      const approval = approvals.get(call.callId)
      const result = await send(deps, { runtime, call, approval, metadata, executionId: due.executionId, held, signal })
      const answer = readAnswer(result, deps.clock.now())
      if (answer) told.set(call.callId, answer)
    }
    if (told.size > 0) await storeReconciled(deps.db, due, told, deps.limits.storedBytes)
  } finally {
    held.release()
  }
}

type Reachable = ServingRuntime & { endpoint: string }

/** The runtime as it is now; null where its endpoint cannot be asked. */
async function findRuntime(deps: ReconcileDeps, runtimeId: string): Promise<Reachable | null> {
  const answers = ({ endpoint, deployment }: ServingRuntime) => endpoint !== null && deployment?.reconcile === true
  try {
    const located = await lookUpById(deps, { runtimeId, what: 'The runtime' }, answers)
    // The cached one may have another endpoint.
    if (!located.isFresh) await located.refresh()
    const { runtime } = located
    return runtime.endpoint !== null && answers(runtime) ? { ...runtime, endpoint: runtime.endpoint } : null
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

interface Question {
  runtime: Reachable
  call: StoredCall
  /** Of a call that a person approved. */
  approval: { approval_id: string; preview_hash: string } | undefined
  metadata: string | null
  executionId: string
  held: HeldBytes
  signal: Stop
}

/** Input and metadata are as they are stored: a large one is cut. There is no end user's token, which is not stored. */
function send(deps: ReconcileDeps, { runtime, call, approval, metadata, executionId, held, signal }: Question) {
  const { callId, capability } = call
  return deps.dispatcher.dispatch(
    { ...runtime, readSecrets: () => readSecrets(deps, runtime.runtimeId) },
    {
      mode: 'reconcile',
      executionId,
      callId,
      capability,
      input: JsonDocument.of(JsonObject.catch({}).parse(call.input)),
      metadata: metadata === null ? EMPTY_OBJECT : JsonDocument.of(JsonObject.parse(JSON.parse(metadata))),
      endUserToken: undefined,
      ...(approval && { approval: { approvalId: approval.approval_id, previewHash: approval.preview_hash } }),
      traceparent: executionTraceparent(executionId),
      held,
      signal,
    },
  )
}
