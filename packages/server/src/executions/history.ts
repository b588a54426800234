import { type ExecutionList, JsonObject, type Trace, TurnShape } from '@svc/contract'
import { z } from 'zod'
import type { Owner } from '../accounts/accounts.ts'
import type { Reserve } from '../admission/in-flight.ts'
import { approvalsOfExecution } from '../approvals/list-store.ts'
import { tracedApproval } from '../approvals/rules.ts'
import { goneRuntimes } from '../deletions/store.ts'
import { notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { requireProject } from '../projects/projects.ts'
import { requireRuntime } from '../runtimes/runtimes.ts'
import { cutPage } from '../store/page.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import { readCalls, type StoredCall } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { type ExecutionFilter, findExecution, listExecutions, readTraceBytes } from './history-store.ts'
import { shownReason } from './settlement-rules.ts'

export type ListFilter = Omit<ExecutionFilter, 'from' | 'except'> & { from?: number | undefined }
type HistoryDeps = Pick<ExecutionDeps, 'db' | 'clock'>

/** One page of the owner's executions within the plan's retention, newest first. 404 for a filter by another's. */
export async function listOwnExecutions(deps: HistoryDeps, owner: Owner, filter: ListFilter): Promise<ExecutionList> {
  if (filter.runtimeId !== undefined) await requireRuntime(deps, owner, filter.runtimeId)
  if (filter.projectId !== undefined) await requireProject(deps, owner, filter.projectId)
  const from = Math.max(filter.from ?? 0, retainedSince(owner.tier, deps.clock.now()))
  const except = await goneRuntimes(deps.db, owner.ownerId)
  const rows = await listExecutions(deps.db, owner.ownerId, { ...filter, except, from, limit: filter.limit + 1 })
  const { shown, nextCursor } = cutPage(rows, filter.limit, (row) => ({ at: row.startedAt, id: row.executionId }))
  return { executions: shown.map(toListed), nextCursor }
}

/** The trace of one of the owner's executions. Throws 404 where there is none, or it is past the plan's retention. */
export async function traceOf(
  deps: HistoryDeps,
  owner: Owner,
  { executionId, reserve }: { executionId: string; reserve: Reserve },
): Promise<Trace> {
  const from = retainedSince(owner.tier, deps.clock.now())
  reserve(await readTraceBytes(deps.db, owner.ownerId, executionId))
  const [found, approvals, gone] = await Promise.all([
    findExecution(deps.db, owner.ownerId, executionId, from),
    approvalsOfExecution(deps.db, owner.ownerId, executionId),
    goneRuntimes(deps.db, owner.ownerId),
  ])
  if (!found || gone.includes(found.runtimeId)) throw notFound('The execution')
  return { ...toTrace(found), approvals: approvals.map((row) => tracedApproval(row, deps.clock.now())) }
}

type SummaryRow = Awaited<ReturnType<typeof listExecutions>>[number]
type TraceRow = NonNullable<Awaited<ReturnType<typeof findExecution>>>

type Shown = 'startedAt' | 'completedAt' | 'finishReason' | 'awaitsApproval'

function toSummary<Row extends Pick<SummaryRow, Shown>>({ startedAt, completedAt, awaitsApproval, ...row }: Row) {
  const finishReason = shownReason(row.finishReason, awaitsApproval)
  return { ...row, finishReason, startedAt: isoTime(startedAt), completedAt: isoTimeOrNull(completedAt) }
}

function toListed({ firstCall, error, ...row }: SummaryRow) {
  // Quotes inside the text of a call are escaped, so this is the member and nothing that a model wrote.
  const capability = /"capability":"([^"]+)"/.exec(firstCall ?? '')?.[1] ?? null
  return { ...toSummary(row), capability, error: toFailure(error) }
}

const Shapes = z.array(TurnShape)
const Steps = z.array(
  z.object({ startedAt: z.number(), durationMs: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
)

function toTrace({ error, messageShape, modelSteps, metadata, calls, ...row }: TraceRow): Omit<Trace, 'approvals'> {
  return {
    ...toSummary(row),
    error: toFailure(error),
    messageShape: Shapes.parse(JSON.parse(messageShape)),
    modelSteps: Steps.parse(JSON.parse(modelSteps ?? '[]')).map(({ startedAt, ...step }, index) => {
      return { step: index + 1, startedAt: isoTime(startedAt), ...step }
    }),
    metadata: metadata === null ? null : JsonObject.parse(JSON.parse(metadata)),
    // A call is shown once it has an outcome.
    capabilityCalls: readCalls(calls).flatMap(toTracedCall),
  }
}

function toTracedCall({ ordinal, hasToken, sentTo, unknownAt, ...stored }: StoredCall) {
  const { startedAt, status, error, reconciled, ...call } = stored
  if (status === 'dispatched') return []
  const later = reconciled && { reconciled: { ...reconciled, at: isoTime(reconciled.at) } }
  return [{ ...call, status, error: toFailure(error), startedAt: isoTime(startedAt), ...later }]
}

function toFailure(message: string | null) {
  return message === null ? null : { message }
}
