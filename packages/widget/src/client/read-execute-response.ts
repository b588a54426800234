import type { ExecuteResponse } from '@svc/contract'
import { readPendingApproval } from './read-approval.ts'
import { isRecord, numberOf, readFailure, readMessages } from './read-json.ts'

/** The answer of an execute, or null when it is none. */
export function readExecuteResponse(value: unknown): ExecuteResponse | null {
  if (!isRecord(value) || typeof value['executionId'] !== 'string') return null
  const { status, finishReason } = value
  if (status !== 'completed' && status !== 'failed') return null
  const error = readFailure(value['error'])
  const listed: unknown[] = Array.isArray(value['approvals']) ? value['approvals'] : []
  const approvals = listed.flatMap((entry) => readPendingApproval(entry) ?? [])
  return {
    executionId: value['executionId'],
    status,
    messages: readMessages(value['messages']),
    finishReason: REASONS.find((reason) => reason === finishReason) ?? 'stop',
    inputTokens: numberOf(value['inputTokens']),
    outputTokens: numberOf(value['outputTokens']),
    totalTokens: numberOf(value['totalTokens']),
    durationMs: numberOf(value['durationMs']),
    ...(error && { error }),
    ...(approvals.length > 0 && { approvals }),
  }
}

const REASONS = ['length', 'error', 'cancelled', 'approval_required'] as const
