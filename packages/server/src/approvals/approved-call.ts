import { toolResult } from '../agent/transcript.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import { internal } from '../errors.ts'
import { callText, type NewCall, type SettledCall, UNANSWERED } from '../executions/call-rules.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import { truncatedJson } from '../executions/payload-rules.ts'
import { addressHash, nextReconcileAt } from '../executions/reconcile-rules.ts'
import { JsonDocument } from '../lib/json-document.ts'
import type { Limits } from '../limits.ts'
import { retryConnectionFaults } from '../store/retry.ts'
import { TRUNCATED } from '../usage/truncated.js'
import { type ApprovedCallEnd, listAbandoned, recordApprovedCall } from './approved-call-store.ts'
import type { ApprovalRow } from './store.ts'

type ApprovedRow = Pick<
  ApprovalRow,
  'approval_id' | 'execution_id' | 'call_id' | 'capability' | 'effect' | 'token_hash' | 'step' | 'ordinal' | 'endpoint'
>

/** An approved call as its execution keeps it. It has `sentTo` even without `reconcile`: the reconciler looks. */
export function approvedCall(row: ApprovedRow, input: string, startedAt: number): NewCall {
  const { call_id: callId, capability, effect, step, ordinal } = row
  const ofToken = row.token_hash === null ? {} : { hasToken: true }
  return { callId, capability, effect, ...ofToken, sentTo: addressHash(row.endpoint), step, ordinal, input, startedAt }
}

/** Records how an approved call ended, once the database answers. False where another node recorded it as unknown. */
export async function recordOutcome(
  deps: ExecutionDeps,
  approval: ApprovalRow,
  { call, result }: { call: SettledCall; result: CallResult },
): Promise<boolean> {
  const isPast = deps.storage.isPast(approval.owner_id)
  const kept = isPast ? { ...call, input: TRUNCATED, output: call.output && TRUNCATED } : call
  const storedBytes = isPast ? 0 : deps.limits.storedBytes
  const ended = toRecord(approval, { call: kept, result, storedBytes })
  try {
    return await retryConnectionFaults(deps.pause, () => recordApprovedCall(deps.db, ended))
  } catch (error) {
    deps.logger.error(
      { err: error, approvalId: approval.approval_id },
      'the outcome of an approved call was not recorded',
    )
    throw internal(error)
  }
}

const OVERDUE_MARGIN_MS = 60_000

/** Records approved calls whose node is dead as unknown, and never dispatches them again. Returns their number. */
export async function recordAbandoned(
  deps: Pick<ExecutionDeps, 'db' | 'clock'> & { limits: Pick<Limits, 'dispatchMs' | 'storedBytes'> },
  which: { approvalId?: string; maxRows: number },
): Promise<number> {
  const { dispatchMs, storedBytes } = deps.limits
  const now = deps.clock.now()
  const overdueBefore = now - dispatchMs - OVERDUE_MARGIN_MS
  const abandoned = await listAbandoned(deps.db, { ...which, overdueBefore })
  for (const row of abandoned) {
    const call = { ...approvedCall(row, row.input, row.decided_at ?? 0), ...UNANSWERED, unknownAt: now }
    const result: CallResult = { ok: false, message: UNANSWERED.error, durationMs: 0, unknownAt: now }
    await recordApprovedCall(deps.db, toRecord(row, { call, result, storedBytes }))
  }
  return abandoned.length
}

function toRecord(
  row: ApprovedRow,
  { call, result, storedBytes }: { call: SettledCall; result: CallResult; storedBytes: number },
): ApprovedCallEnd {
  const stored = result.ok
    ? { ...result, output: new JsonDocument(truncatedJson(result.redacted.text, storedBytes)) }
    : result
  return {
    approvalId: row.approval_id,
    executionId: row.execution_id,
    callId: row.call_id,
    capability: row.capability,
    result: JSON.stringify({ ...toolResult({ id: row.call_id, name: row.capability }, stored), outcome: call.status }),
    call: callText(call),
    status: call.status,
    durationMs: call.durationMs,
    reconcileDueAt: nextReconcileAt([call]),
  }
}
