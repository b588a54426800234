import type { ApprovalAnswer, PendingApproval } from '@svc/contract'
import { readPreview } from '../client/read-approval.ts'
import { isRecord } from '../client/read-json.ts'
import { problem } from './problem.ts'
import { safeLine } from './safe-text.ts'
import type { Approval, ApprovalState } from './snapshot.ts'

// Limits of a preview in the contract: nothing of one that keeps to them is cut.
const LONGEST_TITLE = 200
const LONGEST_LINE = 500

/** A pending approval as it is shown. */
export function approvalOf(asked: Omit<PendingApproval, 'approvalKey'>): Approval {
  const { title, lines = [], amount = null } = asked.preview
  return {
    id: asked.approvalId,
    callId: asked.callId,
    capability: safeLine(asked.capability, 64),
    title: safeLine(title, LONGEST_TITLE),
    lines: lines.map((line) => safeLine(line, LONGEST_LINE)),
    amount,
    expiresAt: Date.parse(asked.expiresAt) || 0,
    state: 'pending',
    problem: null,
  }
}

/** Whether the service may still say more of it. */
export function isOpen({ state }: Approval): boolean {
  return state === 'pending' || state === 'deciding'
}

/** The approval as the service says that it stands. */
export function standing(approval: Approval, { status, result, outcome }: ApprovalAnswer): Approval {
  if (status !== 'approved') return { ...approval, state: status, problem: null }
  if (!result) return { ...approval, state: 'deciding', problem: null }
  const { error } = result
  if (!error) return { ...approval, state: 'approved', problem: null }
  const state = outcome === 'unknown' ? outcome : 'failed'
  return { ...approval, state, problem: problem('failed', { detail: error.message }) }
}

/** An approval of a stored conversation. One whose key this tab has not got can be decided in another one. */
export function storedApproval(entry: unknown, hasKey: (id: string) => boolean): Approval | null {
  if (!isRecord(entry)) return null
  const { id, callId, capability, expiresAt, state: stored } = entry
  const preview = readPreview({ ...entry, amount: entry['amount'] ?? undefined })
  if (preview === null || typeof id !== 'string' || typeof callId !== 'string' || typeof capability !== 'string')
    return null
  const approval = approvalOf({ approvalId: id, callId, capability, preview, expiresAt: '' })
  const known = STATES.find((name) => name === stored) ?? 'refused'
  const isUndecided = known === 'pending' || known === 'deciding' || known === 'elsewhere'
  const state = !isUndecided ? known : !hasKey(id) ? 'elsewhere' : known === 'deciding' ? known : 'pending'
  return { ...approval, expiresAt: typeof expiresAt === 'number' ? expiresAt : 0, state }
}

const STATES: readonly ApprovalState[] = [
  ...(['pending', 'deciding', 'approved', 'failed', 'unknown', 'declined'] as const),
  ...(['expired', 'refused', 'elsewhere'] as const),
]
