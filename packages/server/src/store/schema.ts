import type {
  ApprovalStatus,
  CapabilityEffect,
  DeliveryStatus,
  ExecutionKind,
  ExecutionStatus,
  ExecutionSurface,
  Feedback,
  FinishReason,
  KeyKind,
  Role,
  Tier,
  WebhookEvent,
} from '@svc/contract'
import type { Generated, Kysely } from 'kysely'
import type { Counter, Flag, Nullable } from './column-schema.ts'
import type { MemberTables } from './member-schema.ts'

export type Db = Kysely<Schema>

/** The tables. Times are epoch milliseconds, payloads are JSON text, flags are 0 or 1. */
export interface Schema extends MemberTables {
  owners: {
    owner_id: string
    email: string
    tier: Tier
    created_at: number
    /** The checkout that paid for the tier, or null. */
    paid_by: Nullable<string>
    /** See `usage/stored-bytes-rules.ts`. */
    stored_bytes: Counter
    /** Set once its owner has deleted it. What is left of it goes in the background. */
    deleted_at: Nullable<number>
  }
  /** Deleted runtimes, whose ids are not given again. */
  retired_runtimes: {
    id_hash: string
    /** Null once the account is gone, too. */
    owner_id: Nullable<string>
    /** Null once nothing of the runtime is left. */
    runtime_id: Nullable<string>
    deleted_at: number
  }
  credentials: {
    owner_id: string
    credential_id: string
    kind: KeyKind
    runtime_id: Nullable<string>
    hash: string
    /** Null where only the hash is stored, so that nothing can reveal the key. */
    sealed: Nullable<string>
    prefix: string
    /** Null for the keys of a runtime. */
    name: Nullable<string>
    /** The member whose `svc login` made it; null for other keys. */
    member_id: Nullable<string>
    /** Of an account's key; null where it has the role of its member, and for the keys of a runtime. */
    role: Nullable<Role>
    created_at: number
    /** Set when the key is replaced. */
    expires_at: Nullable<number>
    revoked_at: Nullable<number>
    /** Of an account's key, to the minute. */
    last_used_at: Nullable<number>
  }
  throttles: {
    /** A hash of the limited account or network. */
    subject: string
    /** The token bucket, as the time at which it is full again. */
    full_at: number
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
    /** The deployment that was stable before the serving one. */
    previous_version: Nullable<number>
    /** The last check-in, or answer of the endpoint; written every ten seconds at most. */
    last_seen_at: Nullable<number>
    /** Since when the owner was told that the endpoint cannot be reached; null while it can. */
    unreachable_since: Nullable<number>
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
    /** The start of the newest ended execution of it, or null. */
    last_used_at: Nullable<number>
    /** Where it is called, or was last. Null: where its manifest says, else where the runtime is called. */
    endpoint: Nullable<string>
    /** JSON of what its files are in git. */
    source: Nullable<string>
    /** The deploy key, abbreviated. */
    deployed_by: Nullable<string>
  }
  /** The candidate of a runtime. See `deployments/candidate-store.ts`. */
  candidates: {
    runtime_id: string
    owner_id: string
    version: number
    /** Percent. 0 while it is frozen. */
    traffic: number
    /** When the traffic was set, later than any time before: it identifies the setting. */
    since: number
    /** JSON of what both served since then. */
    stable_counts: string
    counts: string
    /** A sample of the stable deployment from before the share. See `deployments/freeze-rules.ts`. */
    earlier_executions: Counter
    earlier_bad: Counter
    /** Its executions at the last test. */
    tested_at: Counter
    frozen_reason: Nullable<string>
    frozen_at: Nullable<number>
  }
  allowances: {
    owner_id: string
    bucket: string
    full_at: number
  }
  nodes: {
    node_id: string
    lease_until: number
    started_at: number
    steady_since: number | null
    settings: string | null
    /** Where the node takes requests of other replicas; null where it takes none. */
    url: string | null
  }
  executions: {
    owner_id: string
    execution_id: string
    runtime_id: string
    project_id: string
    deployment_version: Nullable<number>
    kind: ExecutionKind
    /** The protocol that it came by, where that is not the API's own. */
    surface: Nullable<ExecutionSurface>
    status: ExecutionStatus
    finish_reason: Nullable<FinishReason>
    error: Nullable<string>
    message_shape: string
    steps: Counter
    /** The model's steps with their times; null where there were none, and in older rows. */
    model_steps: Nullable<string>
    input_tokens: Counter
    output_tokens: Counter
    total_tokens: Counter
    duration_ms: Nullable<number>
    metadata: Nullable<string>
    call_count: Counter
    /** Set when the execution ends. */
    failed_calls: Counter
    unknown_calls: Counter
    /** When the endpoint is next asked what became of the unknown calls; null where it is not. */
    reconcile_at: Nullable<number>
    /** JSON objects separated by commas, or null. An approved call is appended after the end, however late it started. */
    calls: Nullable<string>
    started_at: number
    completed_at: Nullable<number>
    /** The node that runs it; set on every running row. Once it has no lease, another one fails the execution. */
    node_id: Nullable<string>
    feedback: Nullable<Feedback>
    /** 1 where it ended because calls wait for a person: `finish_reason` is `stop` there. */
    awaits_approval: Generated<Flag>
  }
  /** Calls that a person approves. See `approvals/rules.ts`. */
  approvals: {
    approval_id: string
    owner_id: string
    runtime_id: string
    execution_id: string
    call_id: string
    capability: string
    effect: CapabilityEffect
    /** Of the call among those of its execution. */
    step: number
    ordinal: number
    deployment_version: number
    /** The runtime's when the preview was made. */
    endpoint: string
    /** `pending` also after `expires_at`, until the sweep. */
    status: ApprovalStatus
    /** Without payload once the approval has ended. */
    input: string
    input_hash: string
    metadata: Nullable<string>
    preview: string
    preview_hash: string
    /** A hash under the master key; null where the execution had no end user's token. */
    token_hash: Nullable<string>
    /** A hash under the master key of the approval's key with all that was approved. */
    proof: string
    /** The `tool_result` part as JSON, with the `outcome` of a call that was made; null while nobody has decided, and while the approved call is under way. */
    result: Nullable<string>
    /** The node that dispatches the approved call. Once it has no lease, the call is recorded as unknown. */
    node_id: Nullable<string>
    /** `candidates.since` when the execution began; null without a candidate. */
    share: Nullable<number>
    created_at: number
    expires_at: number
    decided_at: Nullable<number>
  }
  idempotency_keys: {
    /** SHA-256 of runtime, route and key. */
    key_hash: string
    owner_id: string
    /** A hash of what was asked for, under the master key. */
    body_hash: string
    /** The execution that was admitted under the key. */
    execution_id: string
    created_at: number
  }
  webhooks: {
    webhook_id: string
    owner_id: string
    url: string
    /** A JSON list. */
    events: string
    secret_sealed: string
    created_at: number
  }
  /** An event for a webhook. See `webhooks/rules.ts`. */
  webhook_deliveries: {
    /** The order of events. */
    id: Generated<number>
    delivery_id: string
    webhook_id: string
    owner_id: string
    /** Empty for events of the account. */
    runtime_id: string
    type: WebhookEvent
    payload: string
    status: DeliveryStatus
    attempts: Generated<number>
    last_error: Nullable<string>
    created_at: number
    give_up_at: number
    /** Of the first that waits of its webhook and runtime; else null. */
    due_at: Nullable<number>
    ended_at: Nullable<number>
  }
  /** What happened in an account: its latest events. */
  account_events: {
    id: Generated<number>
    event_id: string
    owner_id: string
    /** Empty for events of the account. */
    runtime_id: string
    type: WebhookEvent
    data: string
    created_at: number
  }
  /** The percentage that the last quota alert of an account named, by bucket. */
  quota_alerts: {
    owner_id: string
    bucket: string
    percent: number
  }
  execution_rollups: ExecutionRollupsTable
  call_rollups: CallRollupsTable
  /** Usage of ended executions that the roll-ups do not yet count: one row for each batch, of any owners. */
  usage_journal: {
    id: Generated<number>
    usages: string
    /** A dead letter: aggregating the row failed. */
    is_parked: Generated<Flag>
  }
  checkouts: {
    owner_id: string
    checkout_id: string
    tier: Tier
    provider: 'stripe' | 'test'
    /** The provider's id of the payment. */
    provider_ref: string
    /** The provider's id of the subscription, or null. */
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
    /** A JSON array of one value, sealed under several keys. */
    sealed: string
  }
}

/** What a roll-up row counts: an hour or a day of one runtime in one project. */
interface RollupPlace {
  owner_id: string
  grain: 'hour' | 'day'
  /** The start of the UTC hour or day. */
  at: number
  runtime_id: string
  project_id: string
  /** Which sixteen duration buckets the row has (`usage/histogram.ts`); the others are in rows of their own. */
  span: number
}

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

/** Columns with the number of durations in each bucket of the row's span. */
export const DURATION_BUCKET_COLUMNS = Array.from({ length: 16 }, (_, index) => `b${index}` as DurationBucketColumn)

type DurationBucketColumn = `b${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15}`

type DurationBucketCounters = Record<DurationBucketColumn, Counter>

export interface ExecutionRollupsTable
  extends RollupPlace,
    Record<(typeof EXECUTION_COUNTERS)[number], Counter>,
    DurationBucketCounters {}

export interface CallRollupsTable extends RollupPlace, DurationBucketCounters {
  capability: string
  calls: Counter
  failed: Counter
  /** Neither completed nor failed. */
  unknown: Counter
}
