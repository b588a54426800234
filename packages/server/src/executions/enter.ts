import type { ExecutionKind, JsonObject } from '@svc/contract'
import type { Deps } from '../deps.ts'
import type { Redactor } from '../dispatch/redact.ts'
import { type AppError, busy, databaseAway, internal, limited } from '../errors.ts'
import { unlessStopped } from '../lib/stop-signal.ts'
import { confirming, type Located } from '../runtimes/serving.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import type { Door, QuotaName } from '../usage/rules.ts'
import { isPastBudget } from '../usage/stored-bytes-rules.ts'
import { TRUNCATED } from '../usage/truncated.js'
import type { Admission, NewRow, Refusal } from './batch-rules.ts'
import { callText, type NewCall } from './call-rules.ts'
import { storedShape } from './rules.ts'
import type { ExecutionScope } from './running.ts'

// A runtime that changes this often while one request waits is being deployed in a loop; the request gives up.
const MAX_TRIES = 5

/** What a doorway wants of a runtime, once it has judged that it may. */
export interface Wish<C extends NewCall | null> {
  kind: ExecutionKind
  metadata: JsonObject | undefined
  /** The metadata as JSON text, where somebody has written it before. */
  metadataText?: string | undefined
  /** JSON text. */
  messageShape: string
  /** Takes the end user's token out of what is stored. */
  redactor: Redactor
  /** The one call of a doorway that has no loop, as it is written down with the execution. */
  call: C
}

/** Who asks to be let in, and where. */
export interface Entrant {
  located: Located
  scope: ExecutionScope
}

/** An execution that was let in: charged, and written down as `running`. */
export interface Admitted<C extends NewCall | null> {
  executionId: string
  startedAt: number
  row: NewRow
  runtime: ServingRuntime
  wish: Wish<C>
  /** JSON text, as it was given. */
  metadata: string | null
}

/**
 * The one way in: judges the request on the runtime as it is remembered, and admits it if the runtime still is what it was.
 * When it has changed, or the judgement was a refusal, it is read again and judged afresh. A refusal costs nothing, and who
 * is stopped while a judgement is waited for is refused.
 */
export async function enter<C extends NewCall | null>(
  deps: Pick<Deps, 'admissions' | 'newId' | 'clock' | 'lease' | 'limits' | 'metrics' | 'room'>,
  door: Door,
  entrant: Entrant,
  judge: (runtime: ServingRuntime, startedAt: number) => Wish<C> | Promise<Wish<C>>,
): Promise<Admitted<C>> {
  // The database was away for longer than the lease. It is asked every second, so that this is over soon after.
  if (!deps.lease.isHeld()) throw databaseAway()
  deps.room.require()
  const { located } = entrant
  const executionId = deps.newId('execution')
  const startedAt = deps.clock.now()
  const judgeInTime = (read: ServingRuntime) => {
    const judged = judge(read, startedAt)
    return judged instanceof Promise ? judgedInTime(entrant, judged) : judged
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const wish = await confirming(located, judgeInTime)
    const { runtime } = located
    const metadata = wish.metadataText ?? (wish.metadata ? JSON.stringify(wish.metadata) : null)
    const row: NewRow = {
      owner_id: runtime.ownerId,
      execution_id: executionId,
      runtime_id: runtime.runtimeId,
      project_id: runtime.projectId,
      deployment_version: runtime.deployment?.version ?? null,
      kind: wish.kind,
      message_shape: storedShape(wish.messageShape, deps.limits.storedBytes),
      metadata: metadata && wish.redactor.jsonText(metadata),
      call_count: wish.call ? 1 : 0,
      calls: wish.call && callText(wish.call),
      started_at: startedAt,
    }
    const admission = await deps.admissions.admit({ door, revision: runtime.revision, row })
    if (admission.outcome === 'admitted') {
      return { executionId, startedAt, row: asStored(row, admission), runtime, wish, metadata }
    }
    if (admission.outcome === 'refused') {
      deps.metrics.admissionRefused(admission.grant.limit)
      throw refusal(admission.grant)
    }
    await located.refresh()
  }
  throw internal(new Error(`runtime ${located.runtime.runtimeId} changed ${MAX_TRIES} times during one admission`))
}

// By the same rule by which its payloads were cut. What else was cut is written anew at the end.
function asStored(row: NewRow, { tier, storedBytes }: Extract<Admission, { outcome: 'admitted' }>): NewRow {
  return isPastBudget(tier, storedBytes) ? { ...row, metadata: row.metadata && TRUNCATED } : row
}

async function judgedInTime<W extends object>({ scope }: Entrant, judging: Promise<W>): Promise<W> {
  const judged = await unlessStopped(judging, scope.signal)
  if (judged === null) throw busy()
  return judged
}

const REFUSALS: Readonly<Record<QuotaName, string>> = {
  anonymous: 'The share of this runtime’s quota that is open to anonymous calls is used up for now.',
  quota: 'The quota of this runtime’s plan is used up for now.',
}

function refusal(grant: Refusal): AppError {
  return limited(REFUSALS[grant.limit], grant.retryAfterMs)
}
