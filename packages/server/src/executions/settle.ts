import type { Deps } from '../deps.ts'
import { withinBudget } from './budget-rules.ts'
import type { NewCall } from './call-rules.ts'
import type { Admitted } from './enter.ts'
import type { Outcome } from './outcome.ts'
import { storedShape, storedWords } from './rules.ts'
import { UNRECORDED } from './settlements.ts'
import type { RecordedTrace } from './trace-recorder.ts'

/**
 * Writes an execution's end and returns what its caller is told. They are the same: where the end could not be written,
 * or somebody else has written another, the caller hears of a failure. Rejects where that cannot be known: nothing may be
 * told then that would bind.
 */
export async function settle(
  deps: Pick<Deps, 'settlements' | 'clock' | 'metrics' | 'limits' | 'storage'>,
  admitted: Admitted<NewCall | null>,
  outcome: Outcome,
  trace: RecordedTrace,
): Promise<{ outcome: Outcome; durationMs: number }> {
  const { kind, started_at: startedAt } = admitted.row
  const completedAt = Math.max(deps.clock.now(), startedAt)
  const { storedBytes } = deps.limits
  const settlement = withinBudget(deps.storage, admitted.row, {
    ...outcome,
    ...trace,
    error: outcome.error && storedWords(outcome.error, storedBytes),
    messageShape: storedShape(trace.messageShape, storedBytes),
    completedAt,
  })
  const isSettled = await deps.settlements.settle(settlement)
  const durationMs = completedAt - startedAt
  const told: Outcome = isSettled ? outcome : { status: 'failed', finishReason: 'error', error: UNRECORDED }
  const { status, finishReason } = told
  deps.metrics.executionEnded({ kind, status, finishReason, durationMs })
  return { outcome: told, durationMs }
}
