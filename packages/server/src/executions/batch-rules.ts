import type { ExecutionKind, Tier } from '@svc/contract'
import type { Refusal } from '../usage/grant.js'
import type { Usage } from '../usage/rollup-rules.ts'
import type { Door } from '../usage/rules.ts'
import { callsText, callText, type DispatchedCall, type NewCall } from './call-rules.ts'

export type { Refusal }

export interface AdmissionRequest {
  door: Door
  ownerId: string
  runtimeId: string
  /** The revision of the runtime on which the request was judged. */
  revision: number
  execution: {
    executionId: string
    projectId: string
    deploymentVersion: number | null
    kind: ExecutionKind
    /** JSON text. */
    messageShape: string
    /** JSON text. */
    metadata: string | null
    startedAt: number
  }
  /** The one call of an execution that has no loop, written together with it. */
  call: NewCall | null
}

/** `stale`: the runtime has changed since it was read; nothing was charged, and the caller reads it again. */
export type Admission =
  | { outcome: 'admitted'; tier: Tier; storedBytes: number }
  | { outcome: 'refused'; grant: Refusal }
  | { outcome: 'stale' }

/** The columns of an execution that begins. */
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
  calls: string | null
  started_at: number
}

/** The columns that an execution's end sets, and by which its row is found. */
export interface EndedRow {
  execution_id: string
  owner_id: string
  status: 'completed' | 'failed'
  finish_reason: string
  error: string | null
  message_shape: string
  steps: number
  model_steps: string | null
  input_tokens: number
  output_tokens: number
  duration_ms: number
  call_count: number
  calls: string | null
  completed_at: number
}

/** Admission requests, calls about to be sent and outcomes: what one transaction writes. Plain data. */
export interface Batch {
  admissions: readonly { door: Door; revision: number; row: NewRow }[]
  /** Texts of calls by execution: each is named once. */
  calls: readonly { execution_id: string; owner_id: string; calls: string; count: number }[]
  settlements: readonly { row: EndedRow; usage: Usage; runtimeId: string; heardFrom: boolean }[]
}

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

/** Under which circumstances a batch is written. */
export interface BatchAt {
  nodeId: string
  now: number
  /** It may have been written before: the answer to its commit was lost. What is stored of it is told again. */
  isRepeat: boolean
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

export function toNewRow({ ownerId, runtimeId, execution, call }: AdmissionRequest): NewRow {
  return {
    owner_id: ownerId,
    execution_id: execution.executionId,
    runtime_id: runtimeId,
    project_id: execution.projectId,
    deployment_version: execution.deploymentVersion,
    kind: execution.kind,
    message_shape: execution.messageShape,
    metadata: execution.metadata,
    call_count: call ? 1 : 0,
    calls: call && callText(call),
    started_at: execution.startedAt,
  }
}

/** Calls by their execution: a statement changes a row once. */
export function toCallRows(calls: readonly DispatchedCall[]): Batch['calls'] {
  const byExecution = new Map<string, DispatchedCall[]>()
  for (const call of calls) {
    const own = byExecution.get(call.executionId)
    if (own) own.push(call)
    else byExecution.set(call.executionId, [call])
  }
  return [...byExecution].map(([executionId, own]) => ({
    execution_id: executionId,
    owner_id: own[0]?.ownerId ?? '',
    calls: callsText(own) ?? '',
    count: own.length,
  }))
}
