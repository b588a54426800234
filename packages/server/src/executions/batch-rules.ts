import type { ExecutionKind, Tier } from '@svc/contract'
import type { Refusal } from '../usage/grant.js'
import type { Door } from '../usage/rules.ts'
import { callsText, type DispatchedCall } from './call-rules.ts'
import type { settlementOf } from './settlement-rules.ts'

export type { Refusal }

export interface AdmissionRequest {
  door: Door
  /** The revision of the runtime on which the request was judged. */
  revision: number
  row: NewRow
}

/** `stale`: the runtime has changed since it was read; nothing was charged, and the caller reads it again. */
export type Admission =
  | { outcome: 'admitted'; tier: Tier; storedBytes: number }
  | { outcome: 'refused'; grant: Refusal }
  | { outcome: 'stale' }

export interface NewRow {
  owner_id: string
  execution_id: string
  runtime_id: string
  project_id: string
  deployment_version: number | null
  kind: ExecutionKind
  message_shape: string
  metadata: string | null
  call_count: number
  /** The one call of an execution that has no loop, as text. */
  calls: string | null
  started_at: number
}

/** Admission requests, calls about to be sent and outcomes: what one transaction writes. Plain data. */
export interface Batch {
  admissions: readonly AdmissionRequest[]
  /** Texts of calls by execution: each is named once. */
  calls: readonly { execution_id: string; owner_id: string; calls: string; call_count: number }[]
  settlements: readonly Settlement[]
}

/** How an execution ended. There is no place in it for message text. */
export type Settlement = ReturnType<typeof settlementOf>

/**
 * In the order of the batch. `calls` and `settlements` are false where the execution is not this node's to run any more:
 * nothing was written.
 */
export interface Outcomes {
  /** Null where this node holds no lease, or another has ended the execution since a first try let it in. */
  admissions: (Admission | null)[]
  calls: boolean[]
  settlements: boolean[]
}

export interface BatchAt {
  nodeId: string
  now: number
  /** It may have been written before: the answer to its commit was lost. What is stored of it is told again. */
  isRepeat: boolean
  /** `nodeId` is another node that holds no lease any more, or what is ended is overdue: only settlements are written. */
  isTakeOver?: boolean | undefined
  /** Called before the commit is sent, on SQLite with all that comes before it; prevents it by throwing. */
  beforeCommit(): void
}

/** A runtime as it is stored now: admission decides by it. */
export interface CurrentRuntime {
  runtime_id: string
  revision: number
  tier: Tier
  stored_bytes: number
}

export interface BucketRow {
  owner_id: string
  bucket: string
  full_at: number
}

/** Calls by their execution: a statement changes a row once. */
export function toCallRows(calls: readonly DispatchedCall[]): Batch['calls'] {
  const byExecution = new Map<string, DispatchedCall[]>()
  for (const call of calls) byExecution.set(call.executionId, [...(byExecution.get(call.executionId) ?? []), call])
  return [...byExecution].map(([id, own]) => {
    return { execution_id: id, owner_id: own[0]?.ownerId ?? '', calls: callsText(own) ?? '', call_count: own.length }
  })
}
