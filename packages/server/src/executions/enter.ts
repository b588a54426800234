import type { ExecutionKind, JsonObject } from '@svc/contract'
import type { AgentCall } from '../agent/agent-event.ts'
import type { Deps } from '../deps.ts'
import { type AppError, busy, internal, limited } from '../errors.ts'
import { unlessStopped } from '../lib/stop-signal.ts'
import { confirming, type Located } from '../runtimes/serving.ts'
import { type ServingRuntime, withSignal } from '../runtimes/serving-runtime.ts'
import type { Door, QuotaName } from '../usage/rules.ts'
import type { Refusal } from './batch-rules.ts'
import type { NewCall } from './call-rules.ts'
import { storedInput, storedShape } from './rules.ts'
import type { ExecutionScope } from './running.ts'

// A runtime that changes this often while one request waits is being deployed in a loop; the request gives up.
const MAX_TRIES = 5

/** What a doorway wants of a runtime, once it has judged that it may. */
export interface Wish<C extends AgentCall | null> {
  kind: ExecutionKind
  metadata: JsonObject | undefined
  /** The metadata as JSON text, where somebody has written it before. */
  metadataText?: string | undefined
  /** JSON text. */
  messageShape: string
  /** The one call of a doorway that has no loop. */
  call: C
}

/** Who asks to be let in, and where. */
export interface Entrant {
  located: Located
  scope: ExecutionScope
}

/** An execution that was let in: charged, and written down as `running`. */
export interface Admitted<C extends AgentCall | null> {
  executionId: string
  startedAt: number
  /** Its inputs are checked on behalf of who was let in. */
  runtime: ServingRuntime
  wish: Wish<C>
  /** JSON text, as stored. */
  metadata: string | null
}

/**
 * The one way in: judges the request on the runtime as it is remembered, and admits it if the runtime still is what it was.
 * When it has changed, or the judgement was a refusal, it is read again and judged afresh. A refusal costs nothing, and who
 * is stopped while a judgement is waited for is refused.
 */
export async function enter<C extends AgentCall | null>(
  deps: Pick<Deps, 'admissions' | 'newId' | 'clock' | 'lease' | 'limits' | 'metrics' | 'room'>,
  door: Door,
  entrant: Entrant,
  judge: (runtime: ServingRuntime) => Wish<C> | Promise<Wish<C>>,
): Promise<Admitted<C>> {
  // The database was away for longer than the lease. It is asked every second, so that this is over soon after.
  if (!deps.lease.isHeld()) throw busy()
  deps.room.require()
  const { located } = entrant
  const { signal } = entrant.scope
  let { runtime } = located
  const judgeInTime = (read: ServingRuntime) => {
    runtime = read
    const judged = judge(withSignal(read, signal))
    return judged instanceof Promise ? judgedInTime(entrant, judged) : judged
  }
  const executionId = deps.newId('execution')
  const startedAt = deps.clock.now()
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const wish = await confirming(located, judgeInTime)
    const metadata = wish.metadataText ?? (wish.metadata ? JSON.stringify(wish.metadata) : null)
    const admission = await deps.admissions.admit({
      door,
      ownerId: runtime.ownerId,
      runtimeId: runtime.runtimeId,
      revision: runtime.revision,
      execution: {
        executionId,
        projectId: runtime.projectId,
        deploymentVersion: runtime.deployment?.version ?? null,
        kind: wish.kind,
        messageShape: storedShape(wish.messageShape, deps.limits.storedBytes),
        metadata,
        startedAt,
      },
      call: wish.call && toNewCall(wish.call, startedAt, deps.limits.storedBytes),
    })
    if (admission.outcome === 'admitted') {
      return { executionId, startedAt, runtime: withSignal(runtime, signal), wish, metadata }
    }
    if (admission.outcome === 'refused') {
      deps.metrics.admissionRefused(admission.grant.limit)
      throw refusal(admission.grant)
    }
    await located.refresh()
  }
  throw internal(new Error(`runtime ${located.runtime.runtimeId} changed ${MAX_TRIES} times during one admission`))
}

async function judgedInTime<W extends object>({ scope }: Entrant, judging: Promise<W>): Promise<W> {
  const judged = await unlessStopped(judging, scope.signal)
  if (judged === null) throw busy()
  return judged
}

/** A call as it is written down before it is sent. */
export function toNewCall(call: AgentCall, startedAt: number, storedBytes: number): NewCall {
  const { callId, capability, step, ordinal } = call
  return { callId, capability, step, ordinal, startedAt, input: storedInput(call, storedBytes) }
}

const REFUSALS: Readonly<Record<QuotaName, string>> = {
  anonymous: 'The share of this runtime’s quota that is open to anonymous calls is used up for now.',
  quota: 'The quota of this runtime’s plan is used up for now.',
}

function refusal(grant: Refusal): AppError {
  return limited(REFUSALS[grant.limit], grant.retryAfterMs)
}
