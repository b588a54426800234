import * as z from 'zod'
import { PendingApproval, TracedApproval } from './approvals.ts'
import { CallStatus, CapabilityEffect, Reconciled, UnknownCalls } from './effects.ts'
import { EndUserToken } from './end-user-token.ts'
import { Failure } from './errors.ts'
import { JsonObject, Timestamp } from './json.ts'
import { Message, PublicTranscript, Transcript, TurnShape } from './messages.ts'

export const ExecutionStatus = z.enum(['running', 'completed', 'failed'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

export const ExecutionKind = z
  .enum(['execute', 'capability', 'broker'])
  .describe('Which way it came in: a chat, a page’s single call, or the broker.')
export type ExecutionKind = z.infer<typeof ExecutionKind>

/** The protocol that an execution came by, where that is not the API’s own. */
export const ExecutionSurface = z
  .enum(['mcp'])
  .describe('The protocol that it came by, where that is not this API’s own: `mcp` is the Model Context Protocol.')
export type ExecutionSurface = z.infer<typeof ExecutionSurface>

/** Why an execution ended: the model was done, a budget (steps, tokens, text) ran out, a fault, the caller left, or calls wait for a person. */
export const FinishReason = z
  .enum(['stop', 'length', 'error', 'cancelled', 'approval_required'])
  .describe(
    '`stop`: the model was done. `length`: a budget ran out. `error`. `cancelled`: the caller left. `approval_required`: a call waits for a person’s approval.',
  )
export type FinishReason = z.infer<typeof FinishReason>

const Detach = z
  .boolean()
  .optional()
  .describe('Of a stream alone: the execution goes on when the connection ends, and its events can be resumed.')

/** Body of `POST /v1/runtime/execute`. The runtime comes from the key; a `runtimeId` in the body is ignored. */
export const ExecuteRequest = z.object({
  messages: PublicTranscript,
  metadata: JsonObject.optional(),
  endUserToken: EndUserToken,
  detach: Detach,
})
export type ExecuteRequest = z.infer<typeof ExecuteRequest>

/** Body of `POST /v1/executions`, the owner’s own execute. */
export const OwnerExecuteRequest = z.object({
  runtimeId: z.string(),
  messages: Transcript,
  metadata: JsonObject.optional(),
  endUserToken: EndUserToken,
  detach: Detach,
})
export type OwnerExecuteRequest = z.infer<typeof OwnerExecuteRequest>

/** Answer of both execute routes and payload of the stream’s `done`. A failed execution is a result: HTTP 200. */
export const ExecuteResponse = z
  .object({
    executionId: z.string(),
    status: z.enum(['completed', 'failed']),
    messages: z.array(Message),
    finishReason: FinishReason,
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    totalTokens: z.int().nonnegative(),
    durationMs: z.number().nonnegative(),
    error: Failure.optional(),
    approvals: z
      .array(PendingApproval)
      .optional()
      .describe('Calls that wait for a person’s approval, with their keys; absent where there are none.'),
  })
  .describe('`messages` holds the turns that this execution added. A failed execution is a result: check `status`.')
export type ExecuteResponse = z.infer<typeof ExecuteResponse>

/** Answer of `POST /v1/runtime/executions/<execution_id>/cancel`. An execution that had ended before keeps its status. */
export const CancelledExecution = z.object({ executionId: z.string(), status: ExecutionStatus })
export type CancelledExecution = z.infer<typeof CancelledExecution>

/** Body of `POST /v1/runtime/capability`. */
export const CapabilityRequest = z.object({
  capability: z.string(),
  input: JsonObject.default({}),
  metadata: JsonObject.optional(),
  endUserToken: EndUserToken,
})
export type CapabilityRequest = z.infer<typeof CapabilityRequest>

/** Body of the broker, `POST /v1/capabilities/<runtime_id>/<capability>`. */
export const BrokerRequest = z.object({
  input: JsonObject.default({}),
  metadata: JsonObject.optional(),
  endUserToken: EndUserToken,
})
export type BrokerRequest = z.infer<typeof BrokerRequest>

/** A capability that answered. */
export const CapabilityOutput = z.object({
  executionId: z.string(),
  output: z.unknown(),
  durationMs: z.number().nonnegative(),
})
export type CapabilityOutput = z.infer<typeof CapabilityOutput>

/** A capability that failed: HTTP 200 on the capability route, 502 on the broker. */
export const CapabilityFailure = z.object({
  executionId: z.string(),
  error: Failure,
  outcome: z
    .enum(['unknown', 'completed'])
    .optional()
    .describe(
      '`unknown`: nobody knows whether the call took effect. `completed`, in a repeat: it did, and its output is not kept.',
    ),
  durationMs: z.number().nonnegative(),
})
export type CapabilityFailure = z.infer<typeof CapabilityFailure>

const FailedCalls = z
  .int()
  .nonnegative()
  .describe('Capability calls that failed, 0 while the execution runs. It may be `completed` all the same.')

/** What an end user thought of an answer. */
export const Feedback = z
  .union([z.literal(1), z.literal(-1)])
  .describe('What the end user thought of it: 1 is good, -1 is bad.')
export type Feedback = z.infer<typeof Feedback>

/** Body of `PUT /v1/runtime/executions/<execution_id>/feedback`. */
export const FeedbackRequest = z.strictObject({
  value: Feedback.nullable().describe('1, -1, or null to take it back.'),
})
export type FeedbackRequest = z.infer<typeof FeedbackRequest>

/** Answer of `PUT /v1/runtime/executions/<execution_id>/feedback`: what is stored now. */
export const StoredFeedback = z.object({ executionId: z.string(), feedback: Feedback.nullable() })
export type StoredFeedback = z.infer<typeof StoredFeedback>

/** One row of an execution list. */
export const ExecutionSummary = z.object({
  executionId: z.string(),
  runtimeId: z.string(),
  kind: ExecutionKind,
  // Older services leave it out.
  surface: ExecutionSurface.nullable().default(null),
  status: ExecutionStatus,
  finishReason: FinishReason.nullable(),
  durationMs: z.number().nullable(),
  capabilityCalls: z.int().nonnegative(),
  failedCalls: FailedCalls,
  // Older services leave it out.
  unknownCalls: UnknownCalls.default(0),
  feedback: Feedback.nullable().default(null),
  // Older services leave out the next four.
  capability: z
    .string()
    .nullable()
    .default(null)
    .describe('The first capability that it called; null where there is none.'),
  error: Failure.nullable().default(null).describe('Why it failed, cut to 300 characters; null where it did not.'),
  inputTokens: z.int().nonnegative().default(0),
  outputTokens: z.int().nonnegative().default(0),
  totalTokens: z.int().nonnegative(),
  startedAt: Timestamp,
  completedAt: Timestamp.nullable(),
})
export type ExecutionSummary = z.infer<typeof ExecutionSummary>

export const ExecutionList = z.object({ nextCursor: z.string().nullable(), executions: z.array(ExecutionSummary) })
export type ExecutionList = z.infer<typeof ExecutionList>

/** Answer of `GET /v1/traces/runtime/<runtime_id>`. Its items are those of `GET /v1/executions`. */
export const TraceList = z.object({ nextCursor: z.string().nullable(), traces: z.array(ExecutionSummary) })
export type TraceList = z.infer<typeof TraceList>

/** One dispatched capability call inside a trace. Payloads over the stored limit are `{truncated, bytes, preview}`. */
export const TracedCall = z.object({
  callId: z.string(),
  capability: z.string(),
  step: z.int().nonnegative(),
  effect: CapabilityEffect.optional().describe('Absent from calls that an earlier release made.'),
  status: CallStatus.exclude(['dispatched']),
  input: z.unknown(),
  output: z.unknown(),
  error: Failure.nullable(),
  startedAt: Timestamp,
  durationMs: z.number().nullable(),
  reconciled: Reconciled.optional().describe('What the endpoint said later of an unknown call.'),
})
export type TracedCall = z.infer<typeof TracedCall>

/** One turn of the model inside a trace: when it was asked, how long it spoke, and what that cost. */
export const TracedStep = z.object({
  step: z.int().positive(),
  startedAt: Timestamp,
  durationMs: z.number().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
})
export type TracedStep = z.infer<typeof TracedStep>

/** The stored part of an execution: shapes, counts and capability payloads, never message text. */
export const Trace = z
  .object({
    executionId: z.string(),
    runtimeId: z.string(),
    projectId: z.string(),
    deploymentVersion: z.int().nullable(),
    kind: ExecutionKind,
    surface: ExecutionSurface.nullable().default(null),
    status: ExecutionStatus,
    finishReason: FinishReason.nullable(),
    error: Failure.nullable(),
    messageShape: z.array(TurnShape),
    steps: z.int().nonnegative(),
    // Empty while the execution runs.
    modelSteps: z.array(TracedStep),
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    totalTokens: z.int().nonnegative(),
    durationMs: z.number().nullable(),
    metadata: JsonObject.nullable(),
    capabilityCalls: z.array(TracedCall),
    failedCalls: FailedCalls,
    unknownCalls: UnknownCalls.default(0),
    feedback: Feedback.nullable().default(null),
    approvals: z
      .array(TracedApproval)
      .default([])
      .describe(
        'Calls for which a person’s approval was asked. A call that was approved is among `capabilityCalls`, too.',
      ),
    startedAt: Timestamp,
    completedAt: Timestamp.nullable(),
  })
  .describe(
    'Shapes, counts and capability payloads, never message text. A payload of more than 64 KiB is kept as `{truncated, bytes, preview}`.',
  )
export type Trace = z.infer<typeof Trace>
