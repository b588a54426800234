import type { LimitName } from '../usage/rules.ts'

/** The desks where writes are batched. */
export type BatchName = 'admissions' | 'calls' | 'settlements'

/** Where a fault of the database was met. */
export type DatabasePlace = BatchName | 'connection' | 'lease' | 'readiness' | 'sweep'

/** What is read at the moment it is asked for. */
export interface Gauges {
  runningExecutions: () => number
  /** What request bodies, transcripts and answers in flight take, weighed as heap. */
  heldBytes: () => number
  /** Endpoints whose circuit is open. */
  openCircuits: () => number
  queued: Readonly<Record<BatchName, () => number>>
  /** Outcomes that could not be written, and admissions of which it is unknown whether they took place. */
  unwrittenOutcomes: () => number
  unknownAdmissions: () => number
  isLeaseHeld: () => boolean
  /** By how much this machine's clock is ahead of the database's. */
  clockOffsetMs: () => number
  isDraining: () => boolean
  /** Null for a store without a pool. */
  pool: (() => PoolUse) | null
}

/** Connections to the database that are lent, those that are asked for and not lent yet, and the most there may be. */
export interface PoolUse {
  used: number
  waiting: number
  maximum: number
}

/**
 * What the service tells about itself, in numbers. Durations are in milliseconds. Labels have few values each, all of them
 * ours: never an owner, a runtime, a capability, an id or an address.
 */
export interface Metrics {
  /** `route` is the pattern; null where none was found. */
  requestEnded(request: { method: string; route: string | null; status: number; durationMs: number }): void
  /** Refused before anything was done, for what the service has too much of, or because its database is away. */
  requestRefused(reason: 'event_loop' | 'executions' | 'bytes' | 'database'): void
  admissionRefused(limit: LimitName): void
  executionEnded(execution: { kind: string; status: string; finishReason: string; durationMs: number }): void
  modelCallEnded(call: ModelCallEnd): void
  callEnded(call: { outcome: string; durationMs: number }): void
  batchEnded(batch: { name: BatchName; size: number; durationMs: number }): void
  databaseFailed(place: DatabasePlace): void
  leaseRenewed(outcome: 'renewed' | 'retaken' | 'failed'): void
  /** So many executions were failed because nobody ran them any more. */
  executionsInterrupted(count: number): void
  /** Names what the gauges read; the last one named counts. */
  watch(gauges: Gauges): void
}

/** The end of one call of a model. `left` is a caller who went away. */
export interface ModelCallEnd {
  provider: string
  outcome: 'completed' | 'failed' | 'left'
  durationMs: number
  inputTokens: number
  outputTokens: number
}

const ignore = () => {}

/** For a service that nobody measures. */
export const NO_METRICS: Metrics = {
  requestEnded: ignore,
  requestRefused: ignore,
  admissionRefused: ignore,
  executionEnded: ignore,
  modelCallEnded: ignore,
  callEnded: ignore,
  batchEnded: ignore,
  databaseFailed: ignore,
  leaseRenewed: ignore,
  executionsInterrupted: ignore,
  watch: ignore,
}
