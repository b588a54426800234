import type { AgentCall } from '../agent/agent-event.ts'
import type { Deps } from '../deps.ts'
import type { StorageBudget } from '../usage/storage-budget.ts'
import { TRUNCATED } from '../usage/truncated.js'
import { callsText, type SettledCall } from './call-rules.ts'
import type { Admitted } from './enter.ts'
import type { Outcome } from './outcome.ts'
import { storedShape, storedWords } from './rules.ts'
import { bytesOf, type Settlement } from './settlement-rules.ts'
import { UNRECORDED } from './settlements.ts'
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
  deps: Pick<Deps, 'settlements' | 'clock' | 'metrics' | 'limits' | 'storage'>,
  admitted: Admitted<AgentCall | null>,
  outcome: Outcome,
  trace: RecordedTrace,
): Promise<SettledOutcome> {
  const completedAt = Math.max(deps.clock.now(), admitted.startedAt)
  const { runtime, wish } = admitted
  const settlement = withinBudget(deps.storage, {
    ownerId: runtime.ownerId,
    executionId: admitted.executionId,
    runtimeId: runtime.runtimeId,
    projectId: runtime.projectId,
    deploymentVersion: runtime.deployment?.version ?? null,
    kind: wish.kind,
    status: outcome.status,
    finishReason: outcome.finishReason,
    error: outcome.error && storedWords(outcome.error, deps.limits.storedBytes),
    messageShape: storedShape(trace.messageShape, deps.limits.storedBytes),
    metadata: admitted.metadata,
    steps: trace.steps,
    inputTokens: trace.inputTokens,
    outputTokens: trace.outputTokens,
    startedAt: admitted.startedAt,
    completedAt,
    calls: trace.calls,
    callsText: callsText(trace.calls),
    heardFrom: trace.calls.some(({ status }) => status === 'completed'),
  })
  const isSettled = await deps.settlements.settle(settlement)
  const durationMs = completedAt - admitted.startedAt
  const told: Outcome = isSettled ? outcome : { status: 'failed', finishReason: 'error', error: UNRECORDED }
  const { status, finishReason } = told
  deps.metrics.executionEnded({ kind: wish.kind, status, finishReason, durationMs })
  return { outcome: told, durationMs }
}

function withinBudget(storage: StorageBudget, settlement: Settlement): Settlement {
  const { ownerId } = settlement
  const stored = storage.isPast(ownerId) ? withoutPayloads(settlement) : settlement
  storage.add(ownerId, bytesOf(stored))
  return stored
}

function withoutPayloads(settlement: Settlement): Settlement {
  const calls = settlement.calls.map(withoutPayload)
  return {
    ...settlement,
    messageShape: '[]',
    metadata: settlement.metadata === null ? null : TRUNCATED,
    error: settlement.error?.slice(0, ERROR_CHARACTERS) ?? null,
    calls,
    callsText: callsText(calls),
  }
}

function withoutPayload(call: SettledCall): SettledCall {
  const output = call.output === null ? null : TRUNCATED
  return { ...call, input: TRUNCATED, output, error: call.error?.slice(0, ERROR_CHARACTERS) ?? null }
}

const ERROR_CHARACTERS = 200
