import type { Admitted } from './admit.ts'
import type { NewCall } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import type { Outcome } from './outcome.ts'
import { truncatedShape, truncatedText } from './payload-rules.ts'
import { settlementWithinBudget } from './settlement-rules.ts'
import { UNRECORDED } from './settlements.ts'
import type { RecordedTrace } from './trace-recorder.ts'

type SettleDeps = Pick<ExecutionDeps, 'candidates' | 'clock' | 'metrics' | 'limits' | 'storage'> & {
  settlements: Pick<ExecutionDeps['settlements'], 'settle'>
}

/** Writes the outcome of an execution. A failed write returns a failure. An unknown commit rejects. */
export async function settle(
  deps: SettleDeps,
  { row, runtime }: Admitted<NewCall | null>,
  outcome: Outcome,
  trace: RecordedTrace,
): Promise<{ outcome: Outcome; durationMs: number }> {
  const { kind, started_at: startedAt, trafficSetAt } = row
  const completedAt = Math.max(deps.clock.now(), startedAt)
  const { storedBytes } = deps.limits
  const { messageShape, ...counts } = trace
  const settlement = settlementWithinBudget(deps.storage, row, {
    status: outcome.status,
    finishReason: outcome.finishReason,
    completedAt,
    error: outcome.error && truncatedText(outcome.error, storedBytes),
    messageShape: truncatedShape(messageShape, storedBytes),
    ...counts,
  })
  const isSettled = await deps.settlements.settle(settlement)
  // Where the candidate served: the runtime as the candidate serves it has no candidate.
  if (trafficSetAt !== undefined && runtime.candidate === null) deps.candidates.note(row.runtime_id, trafficSetAt)
  const durationMs = completedAt - startedAt
  const answered: Outcome = isSettled ? outcome : { status: 'failed', finishReason: 'error', error: UNRECORDED }
  const { status, finishReason } = answered
  deps.metrics.executionEnded({ kind, status, finishReason, durationMs })
  return { outcome: answered, durationMs }
}
