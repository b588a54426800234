import type { StreamEvent } from '@svc/contract'
import { readPendingApproval } from './read-approval.ts'
import { readExecuteResponse } from './read-execute-response.ts'
import { isRecord, numberOf, readFailure } from './read-json.ts'

/** One event of a stream from its data. Null for those that are not known, which later versions may send. */
export function readEvent(data: string): StreamEvent | null {
  const value = parsed(data)
  if (!isRecord(value)) return null
  const { type, content, callId, capability } = value
  if (type === 'gap') return { type }
  if (type === 'execution') return readBegin(value)
  if (type === 'text') return typeof content === 'string' ? { type, content } : null
  if (type === 'approval_required') {
    const approval = readPendingApproval(value)
    return approval && { type, ...approval }
  }
  if (type === 'done') {
    const response = readExecuteResponse(value)
    return response && { type, ...response }
  }
  if (typeof callId !== 'string' || typeof capability !== 'string') return null
  if (type === 'capability_start') return { type, callId, capability }
  return type === 'capability_end' ? { type, callId, capability, ...readEnd(value) } : null
}

function readEnd({ durationMs, error: failure, outcome }: Record<string, unknown>) {
  const error = readFailure(failure)
  const isUnknown = outcome === 'unknown'
  return { durationMs: numberOf(durationMs), ...(error && { error }), ...(isUnknown && ({ outcome } as const)) }
}

function readBegin({ executionId, resumeKey }: Record<string, unknown>): StreamEvent | null {
  if (typeof executionId !== 'string' || typeof resumeKey !== 'string') return null
  return { type: 'execution', executionId, resumeKey }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return null
  }
}
