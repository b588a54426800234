import type { AgentCall } from '../agent/agent-event.ts'
import type { Deps } from '../deps.ts'
import type { Admitted } from './enter.ts'
import type { Outcome } from './outcome.ts'
import { UNRECORDED } from './settlement-desk.ts'
import type { RecordedTrace } from './trace-recorder.ts'

export interface SettledOutcome {
  outcome: Outcome
  durationMs: number
}

/**
 * Writes an execution's end and returns what its caller is told. They are the same: where the end could not be written,
 * or somebody else has written another, the caller hears of a failure. Rejects where that cannot be known: nothing may be
 * told then that would bind.
 */
export async function settle(
  deps: Pick<Deps, 'settlements' | 'clock' | 'metrics'>,
  admitted: Admitted<AgentCall | null>,
  outcome: Outcome,
  trace: RecordedTrace,
): Promise<SettledOutcome> {
  const completedAt = Math.max(deps.clock.now(), admitted.startedAt)
  const { runtime, wish } = admitted
  const isSettled = await deps.settlements.settle({
    ownerId: runtime.ownerId,
    executionId: admitted.executionId,
    runtimeId: runtime.runtimeId,
    projectId: runtime.projectId,
    deploymentVersion: runtime.deployment?.version ?? null,
    kind: wish.kind,
    status: outcome.status,
    finishReason: outcome.finishReason,
    error: outcome.error,
    messageShape: trace.messageShape,
    metadata: admitted.metadata,
    steps: trace.steps,
    inputTokens: trace.inputTokens,
    outputTokens: trace.outputTokens,
    startedAt: admitted.startedAt,
    completedAt,
    calls: trace.calls,
    heardFrom: trace.calls.some(({ status }) => status === 'completed'),
  })
  const durationMs = completedAt - admitted.startedAt
  const told: Outcome = isSettled ? outcome : { status: 'failed', finishReason: 'error', error: UNRECORDED }
  const { status, finishReason } = told
  deps.metrics.executionEnded({ kind: wish.kind, status, finishReason, durationMs })
  return { outcome: told, durationMs }
}
