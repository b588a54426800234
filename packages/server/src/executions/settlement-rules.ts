import type { FinishReason } from '@svc/contract'
import { textBytes } from '../usage/stored-bytes-rules.ts'
import type { NewRow, Settlement } from './batch-rules.ts'
import { callsText, interruptedCalls, type SettledCall } from './call-rules.ts'

/** A turn of the model. */
export interface SettledStep {
  startedAt: number
  durationMs: number
  inputTokens: number
  outputTokens: number
}

/** The end of an execution: its status, turns and counts. */
export interface Ending {
  status: 'completed' | 'failed'
  finishReason: FinishReason
  error: string | null
  /** JSON text. */
  messageShape: string
  steps: readonly SettledStep[]
  inputTokens: number
  outputTokens: number
  calls: readonly SettledCall[]
  completedAt: number
}

/** The end of an execution that began as this row, as the store is given it. */
export function settlementOf(begun: NewRow, end: Ending): Settlement {
  const { status, error, calls, steps } = end
  const durationMs = Math.max(0, end.completedAt - begun.started_at)
  const row = {
    execution_id: begun.execution_id,
    owner_id: begun.owner_id,
    status,
    finish_reason: end.finishReason,
    error,
    message_shape: end.messageShape,
    steps: steps.length,
    model_steps: steps.length === 0 ? null : JSON.stringify(steps),
    input_tokens: end.inputTokens,
    output_tokens: end.outputTokens,
    duration_ms: durationMs,
    call_count: calls.length,
    failed_calls: calls.filter((call) => call.status === 'failed').length,
    calls: callsText(calls),
    completed_at: end.completedAt,
  }
  const usage = {
    ownerId: begun.owner_id,
    runtimeId: begun.runtime_id,
    projectId: begun.project_id,
    deploymentVersion: begun.deployment_version,
    storedBytes: textBytes([row.message_shape, begun.metadata, row.model_steps, error, row.calls]),
    startedAt: begun.started_at,
    isCompleted: status === 'completed',
    isAnonymous: begun.kind === 'broker',
    inputTokens: end.inputTokens,
    outputTokens: end.outputTokens,
    durationMs,
    calls: calls.map(({ capability, status, durationMs }) => {
      return { capability, isCompleted: status === 'completed', durationMs }
    }),
  }
  return { row, usage, heardFrom: calls.some(({ status }) => status === 'completed') }
}

/** The error of an interrupted execution. */
export const INTERRUPTED = 'The service was interrupted while the execution ran.'

/** The end of an execution that nobody runs, or whose caller heard of a failure before it was run. */
export function interruptedEnd(begun: NewRow, now: number): Ending {
  return {
    status: 'failed',
    finishReason: 'error',
    error: INTERRUPTED,
    messageShape: begun.message_shape,
    steps: [],
    inputTokens: 0,
    outputTokens: 0,
    calls: interruptedCalls(begun.calls),
    completedAt: Math.max(now, begun.started_at),
  }
}
