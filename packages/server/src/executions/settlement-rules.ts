import type { ExecutionKind, ExecutionSurface, FinishReason } from '@svc/contract'
import type { Usage } from '../usage/rollup-rules.ts'
import type { StorageBudget } from '../usage/storage-budget.ts'
import { textBytes } from '../usage/stored-bytes-rules.ts'
import { TRUNCATED } from '../usage/truncated.js'
import { callsText, interruptedCalls, type SettledCall } from './call-rules.ts'
import { nextReconcileAt } from './reconcile-rules.ts'

/** What an admission writes, and some of what its settlement needs. */
export interface NewRow {
  owner_id: string
  execution_id: string
  runtime_id: string
  project_id: string
  deployment_version: number | null
  kind: ExecutionKind
  surface: ExecutionSurface | null
  message_shape: string
  metadata: string | null
  call_count: number
  calls: string | null
  started_at: number
  /** When the candidate's traffic was set (`candidates.since`); absent without a candidate. Not stored. */
  trafficSetAt?: number | undefined
  /** A candidate serves it at an endpoint of its own. Not stored. */
  usesCandidateEndpoint?: boolean | undefined
}

export interface SettledStep {
  startedAt: number
  durationMs: number
  inputTokens: number
  outputTokens: number
}

export interface ExecutionEnd {
  status: 'completed' | 'failed'
  finishReason: FinishReason
  error: string | null
  /** JSON text. */
  messageShape: string
  steps: readonly SettledStep[]
  inputTokens: number
  outputTokens: number
  calls: readonly SettledCall[]
  completedAt: number
}

/** The end of an execution. It has no place for message text. */
export type Settlement = ReturnType<typeof settlementOf>

export function settlementOf(begun: NewRow, end: ExecutionEnd) {
  const { status, error, steps, completedAt } = end
  // A call that was still under way is unknown from the end of its execution on.
  const calls = end.calls.map((call) =>
    call.status === 'unknown' && call.unknownAt === undefined ? { ...call, unknownAt: completedAt } : call,
  )
  const durationMs = Math.max(0, completedAt - begun.started_at)
  const row = {
    execution_id: begun.execution_id,
    owner_id: begun.owner_id,
    status,
    ...storedReason(end.finishReason),
    error,
    message_shape: end.messageShape,
    steps: steps.length,
    model_steps: steps.length === 0 ? null : JSON.stringify(steps),
    input_tokens: end.inputTokens,
    output_tokens: end.outputTokens,
    total_tokens: end.inputTokens + end.outputTokens,
    duration_ms: durationMs,
    call_count: calls.length,
    failed_calls: countOf(calls, 'failed'),
    unknown_calls: countOf(calls, 'unknown'),
    reconcile_at: nextReconcileAt(calls),
    calls: callsText(calls),
    completed_at: completedAt,
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
    calls: calls.map(({ capability, status, durationMs, callId }) => {
      const isUnknown = status === 'unknown'
      const counted = { capability, isCompleted: status === 'completed', isUnknown, durationMs }
      return isUnknown ? { ...counted, callId } : counted
    }),
  }
  if (row.unknown_calls > 0) usage.executionId = begun.execution_id
  // Anybody with the public key can leave, as often as they like.
  if (begun.trafficSetAt !== undefined && end.finishReason !== 'cancelled') usage.share = begun.trafficSetAt
  // `endpointAnswered`: the runtime's own endpoint completed a call.
  return { row, usage, endpointAnswered: !begun.usesCandidateEndpoint && countOf(calls, 'completed') > 0 }
}

function countOf(calls: readonly SettledCall[], status: SettledCall['status']): number {
  return calls.filter((call) => call.status === status).length
}

/** The columns of a finish reason; {@link shownReason} reads them. */
export function storedReason(reason: FinishReason) {
  const awaits = reason === 'approval_required'
  return { finish_reason: awaits ? ('stop' as const) : reason, awaits_approval: awaits ? (1 as const) : (0 as const) }
}

export function shownReason(reason: FinishReason | null, awaitsApproval: number): FinishReason | null {
  return awaitsApproval === 1 ? 'approval_required' : reason
}

export const INTERRUPTED = 'The service was interrupted while the execution ran.'

/**
 * The end of an execution that no node runs, or that may have been admitted after its caller got a failure. Its model steps and
 * tokens were in the memory of its node.
 */
export function interruptedEnd(begun: NewRow, now: number): ExecutionEnd {
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

const ERROR_CHARACTERS = 200
const CALLS_KEPT = 10
const CALL_ERROR_BYTES = 80
const ERROR_NOT_KEPT = 'The error is not kept: the account has no room.'

/** The settlement of an execution, without payloads where they would exceed the storage of the account's plan. Adds its bytes. */
export function settlementWithinBudget(storage: StorageBudget, begun: NewRow, end: ExecutionEnd): Settlement {
  const ownerId = begun.owner_id
  const full = settlementOf(begun, end)
  const settlement = storage.isPast(ownerId, full.usage.storedBytes)
    ? settlementWithoutPayloads(begun, end, full)
    : full
  storage.add(ownerId, settlement.usage.storedBytes)
  return settlement
}

/** Keeps a few calls without payloads, and no model steps. Counts and usage stay as they are. */
function settlementWithoutPayloads(begun: NewRow, end: ExecutionEnd, full: Settlement): Settlement {
  const error = end.error?.slice(0, ERROR_CHARACTERS) ?? null
  // The endpoint may be asked about unknown ones.
  const unknownFirst = end.calls.toSorted((a, b) => Number(b.status === 'unknown') - Number(a.status === 'unknown'))
  const calls = unknownFirst.slice(0, CALLS_KEPT).map(withoutPayload)
  const cut = settlementOf(begun, { ...end, messageShape: '[]', error, steps: [], calls })
  const { steps, call_count, failed_calls, unknown_calls } = full.row
  const row = { ...cut.row, steps, call_count, failed_calls, unknown_calls }
  return { ...full, row, usage: { ...full.usage, storedBytes: cut.usage.storedBytes } }
}

function withoutPayload(call: SettledCall): SettledCall {
  const isErrorShort = Buffer.byteLength(JSON.stringify(call.error)) <= CALL_ERROR_BYTES
  return {
    ...call,
    input: TRUNCATED,
    output: call.output && TRUNCATED,
    error: isErrorShort ? call.error : ERROR_NOT_KEPT,
  }
}
