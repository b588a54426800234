import type { ApprovalAnswer, PendingApproval } from '@svc/contract'
import { isRecord, readResult } from './read-json.ts'

/** A call that waits for a person, or null where it could not be shown whole: nobody approves half of a preview. */
export function readPendingApproval(value: unknown): PendingApproval | null {
  if (!isRecord(value)) return null
  const { approvalId, approvalKey, callId, capability, expiresAt } = value
  const preview = readPreview(value['preview'])
  if (preview === null || typeof approvalId !== 'string' || typeof approvalKey !== 'string') return null
  if (typeof callId !== 'string' || typeof capability !== 'string' || typeof expiresAt !== 'string') return null
  return { approvalId, approvalKey, callId, capability, expiresAt, preview }
}

/** The preview without `confirm`, or null. */
export function readPreview(value: unknown): PendingApproval['preview'] | null {
  if (!isRecord(value)) return null
  const { title, lines = [], amount } = value
  if (typeof title !== 'string' || !Array.isArray(lines) || !lines.every((line) => typeof line === 'string'))
    return null
  if (amount === undefined) return { title, lines }
  if (!isRecord(amount)) return null
  const { value: sum, currency } = amount
  if (typeof sum !== 'number' || typeof currency !== 'string') return null
  return { title, lines, amount: { value: sum, currency } }
}

/** Where an approval stands, or null. */
export function readApprovalAnswer(value: unknown): ApprovalAnswer | null {
  if (!isRecord(value)) return null
  const { approvalId, executionId } = value
  const status = STATUSES.find((name) => name === value['status'])
  if (!status || typeof approvalId !== 'string' || typeof executionId !== 'string') return null
  const result = isRecord(value['result']) ? readResult(value['result']) : null
  const outcome = OUTCOMES.find((name) => name === value['outcome'])
  return { approvalId, status, executionId, ...(result && { result }), ...(outcome && { outcome }) }
}

const OUTCOMES = ['completed', 'failed', 'unknown'] as const
const STATUSES = ['pending', 'approved', 'declined', 'expired'] as const
