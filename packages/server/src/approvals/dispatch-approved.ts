import type { ApprovalAnswer, JsonObject } from '@svc/contract'
import { toolResult } from '../agent/transcript.ts'
import type { SignedInUser } from '../end-users/signed-in-user.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import type { ExecutionScope } from '../executions/running.ts'
import { sendCall } from '../executions/send-call.ts'
import { endedCall } from '../executions/trace-recorder.ts'
import { JsonDocument } from '../lib/json-document.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import type { Secret } from '../secrets/secret.ts'
import { approvedCall, recordOutcome } from './approved-call.ts'
import { answerOf } from './standing.ts'
import type { ApprovalRow } from './store.ts'

/** An approval that was consumed for this dispatch. */
interface Approved {
  approval: ApprovalRow
  /** JSON texts. */
  payload: { input: string; metadata: string | null }
  runtime: ServingRuntime
  scope: ExecutionScope
  endUserToken: Secret | undefined
  endUser: SignedInUser | undefined
}

/** Dispatches an approved call, and records how it ended before it answers. */
export async function dispatchApproved(deps: ExecutionDeps, approved: Approved): Promise<ApprovalAnswer> {
  const { approval, payload, runtime, scope, endUserToken, endUser } = approved
  const startedAt = deps.clock.now()
  scope.owner = { ownerId: approval.owner_id, runtimeId: approval.runtime_id }
  const metadata = payload.metadata === null ? undefined : new JsonDocument<JsonObject>(payload.metadata)
  const request = { metadata, endUserToken, endUser }
  const result = await sendCall(
    deps,
    { admitted: { runtime, executionId: approval.execution_id, request }, scope },
    {
      callId: approval.call_id,
      capability: approval.capability,
      input: new JsonDocument<JsonObject>(payload.input),
      approval: { approvalId: approval.approval_id, previewHash: approval.preview_hash },
    },
  )
  const call = endedCall(approvedCall(approval, payload.input, startedAt), result, deps.limits.storedBytes)
  const isRecorded = await recordOutcome(deps, approval, { call, result })
  if (!isRecorded) return answerOf(deps, approval)
  return {
    approvalId: approval.approval_id,
    status: 'approved',
    executionId: approval.execution_id,
    result: toolResult({ id: approval.call_id, name: approval.capability }, result),
    outcome: call.status,
  }
}
