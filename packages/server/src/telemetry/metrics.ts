import type { LimitName } from '../usage/quota-rules.ts'

/** The queues whose items are written in batches. */
export const BATCHES = ['admissions', 'calls', 'settlements'] as const
export type BatchName = (typeof BATCHES)[number]

export const APPROVAL_EVENTS = ['asked', 'approved', 'declined', 'expired'] as const
export type ApprovalEvent = (typeof APPROVAL_EVENTS)[number]

/** Where a database error occurred. */
export const DATABASE_PLACES = [...BATCHES, 'connection', 'lease', 'readiness', 'sweep'] as const
export type DatabasePlace = (typeof DATABASE_PLACES)[number]

export const OVERLOAD_REASONS = ['event_loop', 'executions', 'bytes', 'database'] as const
export const LIMITS = ['rate', 'visitor', 'network', 'quota', 'anonymous'] as const satisfies readonly LimitName[]
export const RENEWALS = ['renewed', 'retaken', 'failed'] as const

/** Gauges by their names in Prometheus, each with its help. */
export const GAUGES = [
  ['svc_running_executions', 'Executions under way.'],
  ['svc_held_bytes', 'Heap that requests, transcripts and answers in flight take.'],
  ['svc_open_circuits', 'Endpoints to which calls are paused.'],
  ['svc_streamed_runs', 'Streamed executions under way, and ended ones whose events wait to be resumed.'],
  ['svc_stream_event_bytes', 'Events that wait to be resumed, in characters.'],
  ['svc_unwritten_outcomes', 'Outcomes that wait to be written again.'],
  ['svc_unknown_admissions', 'Admissions that may have taken place.'],
  ['svc_clock_offset_seconds', 'By how much the machine’s clock is ahead of the database’s.'],
  ['svc_lease_held', '1 while this process may run executions.'],
  ['svc_draining', '1 from the moment at which it was told to stop.'],
] as const

/** Values that are read when the metrics are. */
export interface Gauges extends Readonly<Record<(typeof GAUGES)[number][0], () => number>> {
  queued: (batch: BatchName) => number
  /** Null for a store without a pool. */
  pool: (() => PoolUse) | null
}

/** Database connections in use, requests for one that wait, and the largest number of connections. */
export interface PoolUse {
  used: number
  waiting: number
  maximum: number
}

/**
 * The service's metrics. Durations are in milliseconds. Labels have few values, all chosen by the service: never an owner,
 * a runtime, a capability, an id or an address.
 */
export interface Metrics {
  /** `route` is the pattern; null where none was found. */
  requestEnded(request: { method: string; route: string | null; status: number; durationMs: number }): void
  /** Refused before anything was done: too much is in flight, or the database is away. */
  requestRefused(reason: (typeof OVERLOAD_REASONS)[number]): void
  admissionRefused(limit: LimitName): void
  executionEnded(execution: { kind: string; status: string; finishReason: string; durationMs: number }): void
  modelCallEnded(call: ModelCallEnd): void
  callEnded(call: { outcome: string; durationMs: number }): void
  /** Counts approvals that were requested, decided on, or expired. */
  approvals(event: ApprovalEvent, count?: number): void
  /** Sets the number of pending approvals of the whole service. */
  approvalsPending(count: number): void
  /** A reader asked for events that were dropped. */
  streamGap(): void
  batchEnded(batch: { name: BatchName; size: number; durationMs: number }): void
  databaseFailed(place: DatabasePlace): void
  leaseRenewed(outcome: (typeof RENEWALS)[number]): void
  /** Counts executions that were failed because no process ran them any more. */
  executionsInterrupted(count: number): void
  /** Sets the gauges to read, in place of earlier ones. */
  watch(gauges: Gauges): void
}

/** `left`: the caller disconnected. */
export interface ModelCallEnd {
  provider: string
  outcome: 'completed' | 'failed' | 'left'
  durationMs: number
  inputTokens: number
  outputTokens: number
}

const ignore = () => {}

export const NO_METRICS: Metrics = {
  requestEnded: ignore,
  requestRefused: ignore,
  admissionRefused: ignore,
  executionEnded: ignore,
  modelCallEnded: ignore,
  callEnded: ignore,
  approvals: ignore,
  approvalsPending: ignore,
  streamGap: ignore,
  batchEnded: ignore,
  databaseFailed: ignore,
  leaseRenewed: ignore,
  executionsInterrupted: ignore,
  watch: ignore,
}
