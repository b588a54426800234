import type { Tier } from '@svc/contract'
import type { Refusal } from '../usage/take-from-buckets.js'
import type { NewRow, Settlement } from './settlement-rules.ts'

export type { Refusal }

export interface AdmissionRequest {
  /** The revision of the runtime on which the request was validated. */
  revision: number
  row: NewRow
  storedKey?: StoredIdempotencyKey | undefined
}

/** What is stored of an `Idempotency-Key`: a hash of it with runtime and route, and one of the body. */
export interface StoredIdempotencyKey {
  key_hash: string
  body_hash: string
}

/** `stale`: the runtime has changed since it was read. `repeated`: the key is another request's. Neither charges. */
export type Admission =
  | { outcome: 'admitted'; tier: Tier; storedBytes: number }
  | { outcome: 'refused'; refusal: Refusal }
  | { outcome: 'stale' }
  | { outcome: 'repeated' }

/** A call about to be sent, as text. */
export interface CallRow {
  execution_id: string
  owner_id: string
  calls: string
}

export interface Batch {
  admissions: readonly AdmissionRequest[]
  calls: readonly CallRow[]
  settlements: readonly Settlement[]
}

/** In the order of the batch. `calls` and `settlements` are false where this node no longer runs the execution. */
export interface BatchOutcomes {
  /** Null where this node holds no lease, or another node has ended the execution since it was admitted. */
  admissions: (Admission | null)[]
  calls: boolean[]
  settlements: boolean[]
}

export interface BatchContext {
  nodeId: string
  now: number
  /** The batch may be committed: the answer to its commit was lost. PostgreSQL returns stored outcomes. SQLite ignores it. */
  isRepeat: boolean
  /** Ends executions of a dead node, or overdue ones of this node: no lease is asked for, and all items are settlements. */
  isTakeOver?: boolean | undefined
  /** Called before the commit is sent, on SQLite before the whole batch is. Prevents it by throwing. */
  beforeCommit(): void
}

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
