import type { ExecutionSummary } from '@svc/contract'
import { dim, green, type Piece, red, yellow } from '../terminal/piece.ts'

/** Whether it failed, or completed with a capability call that failed or whose outcome is unknown. */
export function isFailure({ status, failedCalls, unknownCalls }: ExecutionSummary): boolean {
  return status === 'failed' || failedCalls + unknownCalls > 0
}

/** Start, id, kind, status, calls, duration and tokens. */
export function executionLine(execution: ExecutionSummary): Piece[] {
  const { startedAt, executionId, kind, durationMs, totalTokens } = execution
  const duration = durationMs === null ? '-' : `${Math.round(durationMs)} ms`
  return [
    dim(startedAt),
    `  ${executionId}  ${kind.padEnd('capability'.length)}  `,
    statusPiece(execution),
    `  ${callsText(execution).padEnd('00 calls, 00 failed'.length)}  ${duration.padStart('000000 ms'.length)}`,
    `  ${totalTokens} ${totalTokens === 1 ? 'token' : 'tokens'}`,
  ]
}

function statusPiece({ status, failedCalls, unknownCalls }: ExecutionSummary): Piece {
  const text = status.padEnd('completed'.length)
  if (status === 'failed') return red(text)
  if (failedCalls + unknownCalls > 0) return yellow(text)
  return status === 'completed' ? green(text) : text
}

function callsText({ capabilityCalls, failedCalls, unknownCalls }: ExecutionSummary): string {
  const calls = capabilityCalls === 1 ? '1 call' : `${capabilityCalls} calls`
  const failed = failedCalls === 0 ? '' : `, ${failedCalls} failed`
  return `${calls}${failed}${unknownCalls === 0 ? '' : `, ${unknownCalls} unknown`}`
}
