import type { FinishReason } from '@svc/contract'
import type { Usage } from '../usage/rollup-rules.ts'
import { textBytes } from '../usage/stored-bytes-rules.ts'
import type { NewRow } from './batch-rules.ts'
import { callsText, interruptedCalls, type SettledCall } from './call-rules.ts'

export interface SettledStep {
  startedAt: number
  durationMs: number
  inputTokens: number
  outputTokens: number
}

export interface Ending {
  status: 'completed' | 'failed'
  finishReason: FinishReason
  error: string | null
  /** JSON text: a long conversation has thousands of parts. */
  messageShape: string
  steps: readonly SettledStep[]
  inputTokens: number
  outputTokens: number
  calls: readonly SettledCall[]
  completedAt: number
}

export function settlementOf(begun: NewRow, end: Ending) {
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
  const usage: Usage = {
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
  // `heardFrom`: whether the endpoint gave a sign of life.
  return { row, usage, heardFrom: calls.some(({ status }) => status === 'completed') }
}

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
