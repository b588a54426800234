import { type ExecutionSummary, JsonObject, type Trace, type TracedStep, TurnShape } from '@svc/contract'
import { z } from 'zod'
import type { Owner } from '../accounts/accounts.ts'
import type { Reserve } from '../admission/in-flight.ts'
import { cutPage, type PageStart } from '../database/page.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { requireProject } from '../projects/projects.ts'
import { requireRuntime } from '../runtimes/runtimes.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import { readCalls } from './call-rules.ts'
import {
  type CallRow,
  type ExecutionFilter,
  type ExecutionRow,
  findExecution,
  listExecutions,
  readTraceBytes,
  type SummaryRow,
  toStoredCall,
} from './history-store.ts'

export type ListFilter = Omit<ExecutionFilter, 'from'> & { from?: number | undefined }

/**
 * The owner's executions, newest first, and where the next page begins. What is past the plan's retention is left out,
 * whether or not it has been deleted yet. Throws 404 where a filter names a runtime or project of nobody or somebody else.
 */
export async function listOwnExecutions(
  deps: Pick<Deps, 'db' | 'clock'>,
  owner: Owner,
  filter: ListFilter,
): Promise<{ executions: ExecutionSummary[]; next: PageStart | null }> {
  if (filter.runtimeId !== undefined) await requireRuntime(deps, owner, filter.runtimeId)
  if (filter.projectId !== undefined) await requireProject(deps, owner, filter.projectId)
  const from = Math.max(filter.from ?? 0, retainedSince(owner.tier, deps.clock.now()))
  const rows = await listExecutions(deps.db, owner.ownerId, { ...filter, from, limit: filter.limit + 1 })
  const page = cutPage(rows, filter.limit, (row) => ({ at: row.started_at, id: row.execution_id }))
  return { executions: page.shown.map(toSummary), next: page.next }
}

/** The trace of one of the owner's executions. Another owner's reads as absent, and so does one that is past retention. */
export async function traceOf(
  deps: Pick<Deps, 'db' | 'clock'>,
  owner: Owner,
  { executionId, reserve }: { executionId: string; reserve: Reserve },
): Promise<Trace> {
  const from = retainedSince(owner.tier, deps.clock.now())
  reserve(await readTraceBytes(deps.db, owner.ownerId, executionId))
  const found = await findExecution(deps.db, owner.ownerId, { executionId, from })
  if (!found) throw notFound('The execution')
  return toTrace(found.execution, found.calls)
}

function toSummary(row: SummaryRow): ExecutionSummary {
  return {
    executionId: row.execution_id,
    runtimeId: row.runtime_id,
    kind: row.kind,
    status: row.status,
    finishReason: row.finish_reason,
    durationMs: row.duration_ms,
    capabilityCalls: row.call_count,
    failedCalls: row.failed_calls,
    totalTokens: row.total_tokens,
    startedAt: isoTime(row.started_at),
    completedAt: isoTimeOrNull(row.completed_at),
  }
}

const Shapes = z.array(TurnShape)
const Steps = z.array(
  z.object({ startedAt: z.number(), durationMs: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
)

function toTrace(row: ExecutionRow, calls: readonly CallRow[]): Trace {
  return {
    ...toSummary(row),
    projectId: row.project_id,
    deploymentVersion: row.deployment_version,
    error: row.error === null ? null : { message: row.error },
    messageShape: Shapes.parse(JSON.parse(row.message_shape)),
    steps: row.steps,
    modelSteps: row.model_steps === null ? [] : Steps.parse(JSON.parse(row.model_steps)).map(toTracedStep),
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    metadata: row.metadata === null ? null : JsonObject.parse(JSON.parse(row.metadata)),
    // A call still under way has no outcome to show; it appears once it ended.
    capabilityCalls: [...readCalls(row.calls), ...calls.map(toStoredCall)].flatMap(
      ({ startedAt, ordinal, ...call }) => {
        const { status, error } = call
        if (status === 'dispatched') return []
        return [{ ...call, status, error: error === null ? null : { message: error }, startedAt: isoTime(startedAt) }]
      },
    ),
  }
}

function toTracedStep({ startedAt, ...step }: z.infer<typeof Steps>[number], index: number): TracedStep {
  return { step: index + 1, startedAt: isoTime(startedAt), ...step }
}
