import type { ExecutionKind, ExecutionStatus, FinishReason, KeyKind, Tier } from '@svc/contract'
import type { ColumnType, Generated } from 'kysely'

/** Every table of the control plane. Times are epoch milliseconds, payloads are JSON text, flags are 0 or 1. */
export interface Schema {
  owners: {
    owner_id: string
    email: string
    tier: Tier
    created_at: number
    /** The checkout that the tier was paid with; null where nothing was paid for it. */
    paid_by: Nullable<string>
    /** Payloads of ended executions and their calls, and manifests of deployments; see `usage/stored-bytes-rules.ts`. */
    stored_bytes: Counter
  }
  credentials: {
    owner_id: string
    credential_id: string
    kind: KeyKind
    runtime_id: Nullable<string>
    hash: string
    /** Null for a key that is kept as a hash only and cannot be revealed. */
    sealed: Nullable<string>
    prefix: string
    /** The name that its owner gave an account key; null for the keys of a runtime. */
    name: Nullable<string>
    created_at: number
    /** Set on a key that another one has replaced. */
    expires_at: Nullable<number>
    revoked_at: Nullable<number>
  }
  /** Owners who can sign in. Times are ISO 8601 text. */
  auth_accounts: {
    owner_id: string
    id: string
    account_id: string
    /** `credential` is the owner's password, the one way to sign in so far. */
    provider_id: string
    /** Its hash. */
    password: Nullable<string>
    /** Goes up with every change; a session that began under an earlier one is over. */
    password_version: number
    created_at: string
    updated_at: string
  }
  auth_sessions: {
    owner_id: string
    id: string
    /** Names the session, and does not open it: the owner's token carries a signature besides. */
    token: string
    valid_until: number
    password_version: number
    ip_address: Nullable<string>
    user_agent: Nullable<string>
    expires_at: string
    created_at: string
    updated_at: string
  }
  throttles: {
    /** A hash of who or what is limited. */
    subject: string
    /** The token bucket, kept as the time at which it is full again; a row that lies in the past is as good as none. */
    full_at: number
  }
  known_networks: {
    owner_id: string
    /** A hash of the network under the master key. */
    network: string
    /** When the account's password was last given from it. */
    seen_at: number
  }
  device_logins: {
    /** Hashes of the two codes under the master key. */
    device_hash: string
    user_hash: string
    machine: string
    network: string
    status: 'pending' | 'authorized' | 'denied'
    /** The account that answered it. */
    owner_id: Nullable<string>
    requested_at: number
    expires_at: number
    /** When the device last polled; 0 before the first poll. */
    polled_at: Counter
  }
  projects: {
    owner_id: string
    project_id: string
    name: string
    description: Nullable<string>
    is_default: Flag
    created_at: number
    updated_at: number
  }
  runtimes: {
    owner_id: string
    runtime_id: string
    project_id: string
    name: string
    version: string
    endpoint: Nullable<string>
    allowed_origins: string
    secret_sealed: string
    previous_secret_sealed: Nullable<string>
    previous_secret_expires_at: Nullable<number>
    revision: Counter
    serving_version: Nullable<number>
    last_seen_at: Nullable<number>
    created_at: number
    updated_at: number
  }
  deployments: {
    owner_id: string
    runtime_id: string
    version: number
    deployment_id: string
    manifest: string
    capability_count: number
    deployed_at: number
    /** When the newest execution that names it and has ended started; null where there is none. */
    last_used_at: Nullable<number>
  }
  allowances: {
    owner_id: string
    bucket: string
    /** The token bucket, kept as the time at which it is full again. */
    full_at: number
  }
  nodes: {
    node_id: string
    lease_until: number
    started_at: number
    steady_since: number | null
    settings: string | null
  }
  executions: {
    owner_id: string
    execution_id: string
    runtime_id: string
    project_id: string
    deployment_version: Nullable<number>
    kind: ExecutionKind
    status: ExecutionStatus
    finish_reason: Nullable<FinishReason>
    error: Nullable<string>
    message_shape: string
    steps: Counter
    /** The model's turns with their times; null where there were none, and for rows that are older than the column. */
    model_steps: Nullable<string>
    input_tokens: Counter
    output_tokens: Counter
    total_tokens: Counter
    duration_ms: Nullable<number>
    metadata: Nullable<string>
    call_count: Counter
    /** Of these; known once the execution has ended. */
    failed_calls: Counter
    /** JSON objects with commas between them; null where there are none, and for rows that are older than the column. */
    calls: Nullable<string>
    started_at: number
    completed_at: Nullable<number>
    /** The node that runs it; a running row always has one. */
    node_id: Nullable<string>
  }
  execution_rollups: ExecutionRollupsTable
  call_rollups: CallRollupsTable
  /** Usage of executions that have ended and are not yet in the roll-ups: one row a batch, of any owners. */
  usage_journal: {
    id: Generated<number>
    usages: string
    /** Set on a row that could not be folded: it is kept for somebody to look at. */
    is_parked: Generated<Flag>
  }
  checkouts: {
    owner_id: string
    checkout_id: string
    tier: Tier
    provider: 'stripe' | 'test'
    /** The provider's name for the payment. */
    provider_ref: string
    /** The provider's name for what was paid for, where it can end. */
    subscription_ref: Nullable<string>
    status: 'pending' | 'paid' | 'expired' | 'ended'
    success_url: string
    cancel_url: string
    created_at: number
    expires_at: number
    paid_at: Nullable<number>
    ended_at: Nullable<number>
  }
  master_key_check: {
    check_id: number
    /** A JSON list of one value under several keys. */
    sealed: string
  }
}

/** Where a roll-up counts: an hour or a day of one runtime while it was in one project. */
interface RollupPlace {
  owner_id: string
  grain: 'hour' | 'day'
  /** Start of the UTC hour or day in which the executions started. */
  at: number
  runtime_id: string
  project_id: string
  /** Which sixteen buckets of durations this row counts. What took longer or shorter is in rows of its own. */
  span: number
}

/** What is counted of executions. */
export const EXECUTION_COUNTERS = [
  'executions',
  'completed',
  'failed',
  'anonymous',
  'capability_calls',
  'input_tokens',
  'output_tokens',
  'duration_ms',
] as const

/** How many durations fell into each bucket of a row's span. */
export const BUCKET_COLUMNS = Array.from({ length: 16 }, (_, index) => `b${index}` as BucketColumn)

type BucketColumn = `b${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15}`

type BucketCounters = Record<BucketColumn, Counter>

export interface ExecutionRollupsTable
  extends RollupPlace,
    Record<(typeof EXECUTION_COUNTERS)[number], Counter>,
    BucketCounters {}

export interface CallRollupsTable extends RollupPlace, BucketCounters {
  capability: string
  calls: Counter
  failed: Counter
}

/** SQL has no booleans that both engines share. */
type Flag = 0 | 1

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>

/** A whole number that starts at 0 where an insert leaves it out. */
type Counter = ColumnType<number, number | undefined, number>
