import * as z from 'zod'
import { EndUserToken } from './end-user-token.ts'
import { JsonObject, Timestamp } from './json.ts'
import { ToolResultPart } from './messages.ts'
import { Preview } from './previews.ts'

/** Carries the approval’s key on `GET` of an approval. */
export const APPROVAL_KEY_HEADER = 'x-svc-approval-key'

export const ApprovalId = z
  .string()
  .regex(/^apr_[0-9A-Za-z]{1,64}$/)
  .meta({ examples: ['apr_1BnTtEXAMPLEask01'] })

export const ApprovalStatus = z
  .enum(['pending', 'approved', 'declined', 'expired'])
  .describe('`pending` until somebody decides, or `expiresAt` has passed.')
export type ApprovalStatus = z.infer<typeof ApprovalStatus>

/** A call that waits for a person, as the caller of its execution is told. The key is shown here alone. */
export const PendingApproval = z.object({
  approvalId: ApprovalId,
  approvalKey: z.string().min(1),
  callId: z.string(),
  capability: z.string(),
  preview: Preview,
  expiresAt: Timestamp,
})
export type PendingApproval = z.infer<typeof PendingApproval>

/** The event of a stream that holds a pending approval. */
export const ApprovalRequiredEvent = PendingApproval.extend({ type: z.literal('approval_required') })
export type ApprovalRequiredEvent = z.infer<typeof ApprovalRequiredEvent>

/** Why an execution ended that has `approvals` in its answer. */
export const APPROVAL_REQUIRED = 'approval_required'

/** Answer of the capability route, HTTP 200, where the capability asks for a person’s approval first. */
export const CapabilityApproval = z.object({ executionId: z.string(), approval: PendingApproval })
export type CapabilityApproval = z.infer<typeof CapabilityApproval>

/** Body of `POST /v1/runtime/approvals/<approval_id>` and `POST /v1/executions/approvals/<approval_id>`. */
export const ApprovalDecision = z.strictObject({
  decision: z.enum(['approve', 'decline']),
  approvalKey: z.string().min(1).max(200),
  endUserToken: EndUserToken,
})
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

/** How an approved call ended. */
export const ApprovedOutcome = z
  .enum(['completed', 'failed', 'unknown'])
  .describe('What became of the approved call, once it has ended. `unknown`: it may or may not have taken effect.')
export type ApprovedOutcome = z.infer<typeof ApprovedOutcome>

/** Where an approval stands: the answer to a decision, to its repetition, and to `GET`. */
export const ApprovalAnswer = z.object({
  approvalId: ApprovalId,
  status: ApprovalStatus,
  executionId: z.string(),
  result: ToolResultPart.optional().describe(
    'What the model is to be told of the call; absent while nobody has decided, and while the approved call is under way.',
  ),
  outcome: ApprovedOutcome.optional(),
})
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>

/** An approval inside the trace of its execution. */
export const TracedApproval = z.object({
  approvalId: ApprovalId,
  callId: z.string(),
  capability: z.string(),
  status: ApprovalStatus,
  preview: Preview,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedAt: Timestamp.nullable(),
})
export type TracedApproval = z.infer<typeof TracedApproval>

/** One row of an owner’s approvals. It holds neither the key nor a hash. */
export const Approval = TracedApproval.extend({
  runtimeId: z.string(),
  executionId: z.string(),
  deploymentVersion: z.int().positive(),
  input: JsonObject.describe('`{truncated: true}` once nobody waits for it any more.'),
})
export type Approval = z.infer<typeof Approval>

/** Answer of `GET /v1/executions/approvals`. */
export const ApprovalList = z.object({ approvals: z.array(Approval), nextCursor: z.string().nullable() })
export type ApprovalList = z.infer<typeof ApprovalList>
