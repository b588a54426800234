import type { ExecutionKind, FinishReason } from '@svc/contract'
import type { Usage } from '../usage/rollup-rules.ts'
import { textBytes } from '../usage/stored-bytes-rules.ts'
import type { AdmissionRequest, Batch } from './batch-rules.ts'
import { callsText, OUTCOME_UNKNOWN, type SettledCall } from './call-rules.ts'

/** A turn of the model. */
export interface SettledStep {
  startedAt: number
  durationMs: number
  inputTokens: number
  outputTokens: number
}

/** The outcome of one execution. There is no place in it for message text. */
export interface Settlement {
  ownerId: string
  executionId: string
  runtimeId: string
  projectId: string
  deploymentVersion: number | null
  kind: ExecutionKind
  status: 'completed' | 'failed'
  finishReason: FinishReason
  error: string | null
  messageShape: string
  metadata: string | null
  steps: readonly SettledStep[]
  inputTokens: number
  outputTokens: number
  startedAt: number
  completedAt: number
  calls: readonly SettledCall[]
  /** The same as the row holds them. */
  callsText: string | null
  /** Whether the endpoint gave a sign of life. */
  heardFrom: boolean
}

/** The bytes stored of an execution once its outcome is; see `usage/stored-bytes-rules.ts`. */
export function bytesOf({ messageShape, metadata, steps, error, callsText }: Settlement): number {
  return textBytes([messageShape, metadata, stepsText(steps), error, callsText])
}

function stepsText(steps: readonly SettledStep[]): string | null {
  return steps.length === 0 ? null : JSON.stringify(steps)
}

/** An outcome as the store is given it. */
export function toEnded(settlement: Settlement): Batch['settlements'][number] {
  const { ownerId, executionId, runtimeId, startedAt, completedAt, calls, steps } = settlement
  const durationMs = completedAt - startedAt
  const row = {
    execution_id: executionId,
    owner_id: ownerId,
    status: settlement.status,
    finish_reason: settlement.finishReason,
    error: settlement.error,
    message_shape: settlement.messageShape,
    steps: steps.length,
    model_steps: stepsText(steps),
    input_tokens: settlement.inputTokens,
    output_tokens: settlement.outputTokens,
    duration_ms: durationMs,
    call_count: calls.length,
    calls: settlement.callsText,
    completed_at: completedAt,
  }
  return { row, usage: usageOf(settlement, durationMs), runtimeId, heardFrom: settlement.heardFrom }
}

function usageOf(settlement: Settlement, durationMs: number): Usage {
  return {
    ownerId: settlement.ownerId,
    runtimeId: settlement.runtimeId,
    projectId: settlement.projectId,
    deploymentVersion: settlement.deploymentVersion,
    storedBytes: bytesOf(settlement),
    startedAt: settlement.startedAt,
    isCompleted: settlement.status === 'completed',
    isAnonymous: settlement.kind === 'broker',
    inputTokens: settlement.inputTokens,
    outputTokens: settlement.outputTokens,
    durationMs,
    calls: settlement.calls.map(({ capability, status, durationMs }) => ({
      capability,
      isCompleted: status === 'completed',
      durationMs,
    })),
  }
}

/** The error of an interrupted execution. */
export const INTERRUPTED = 'The service was interrupted while the execution ran.'

/** The end of an execution that may have been let in although its caller heard of a failure: nothing of it was run. */
export function neverRun({ ownerId, runtimeId, execution, call }: AdmissionRequest, now: number): Settlement {
  const failed = { status: 'failed', output: null, error: OUTCOME_UNKNOWN, durationMs: null } as const
  const calls = call ? [{ ...call, ...failed }] : []
  return {
    ...execution,
    ownerId,
    runtimeId,
    status: 'failed',
    finishReason: 'error',
    error: INTERRUPTED,
    steps: [],
    inputTokens: 0,
    outputTokens: 0,
    completedAt: Math.max(now, execution.startedAt),
    calls,
    callsText: callsText(calls),
    heardFrom: false,
  }
}
