import type { ExecutionKind, ExecutionStatus, FinishReason, KeyKind, Tier } from '@svc/contract'
import type { ColumnType, Generated } from 'kysely'

/** Every table of the control plane. Times are epoch milliseconds, payloads are JSON text, flags are 0 or 1. */
export interface Schema {
  owners: OwnersTable
  credentials: CredentialsTable
  auth_accounts: AuthAccountsTable
  auth_sessions: AuthSessionsTable
  throttles: ThrottlesTable
  known_networks: KnownNetworksTable
  projects: ProjectsTable
  runtimes: RuntimesTable
  deployments: DeploymentsTable
  allowances: AllowancesTable
  nodes: NodesTable
  executions: ExecutionsTable
  capability_calls: CapabilityCallsTable
  execution_rollups: ExecutionRollupsTable
  call_rollups: CallRollupsTable
  usage_journal: UsageJournalTable
  checkouts: CheckoutsTable
  master_key_check: MasterKeyCheckTable
}

export interface MasterKeyCheckTable {
  check_id: number
  /** A JSON list of one value under several keys. */
  sealed: string
}

export interface OwnersTable {
  owner_id: string
  email: string
  tier: Tier
  created_at: number
  /** The checkout that the tier was paid with; null where nothing was paid for it. */
  paid_by: Nullable<string>
  /** Payloads of ended executions and their calls, and manifests of deployments; see `usage/stored-bytes-rules.ts`. */
  stored_bytes: Counter
}

export interface CredentialsTable {
  owner_id: string
  credential_id: string
  kind: KeyKind
  runtime_id: Nullable<string>
  hash: string
  /** Null for a key that is kept as a hash only and cannot be revealed. */
  sealed: Nullable<string>
  prefix: string
  /** What its owner calls an account key; null for the keys of a runtime. */
  name: Nullable<string>
  created_at: number
  /** Set on a key that another one has replaced. */
  expires_at: Nullable<number>
  revoked_at: Nullable<number>
}

/** An owner who can sign in; `id` is the owner's. */
export interface AuthAccountsTable {
  owner_id: string
  id: string
  account_id: string
  /** `credential` is the owner's password, the one way to sign in so far. */
  provider_id: string
  /** Its hash. */
  password: Nullable<string>
  /** Goes up with every change; a session that began under an earlier one is over. */
  password_version: number
  created_at: IsoText
  updated_at: IsoText
}

export interface AuthSessionsTable {
  owner_id: string
  id: string
  /** What names the session. Not what opens it: the owner's token carries a signature besides. */
  token: string
  valid_until: number
  password_version: number
  ip_address: Nullable<string>
  user_agent: Nullable<string>
  expires_at: IsoText
  created_at: IsoText
  updated_at: IsoText
}

export interface ThrottlesTable {
  /** A hash of who or what is limited. */
  subject: string
  /** The token bucket, kept as the time at which it is full again; a row that lies in the past is as good as none. */
  full_at: number
}

export interface KnownNetworksTable {
  owner_id: string
  /** A hash of the network under the master key. */
  network: string
  /** When the account's password was last given from it. */
  seen_at: number
}

export interface ProjectsTable {
  owner_id: string
  project_id: string
  name: string
  description: Nullable<string>
  is_default: Flag
  created_at: number
  updated_at: number
}

export interface RuntimesTable {
  owner_id: string
  runtime_id: string
  project_id: string
  name: string
  version: string
  endpoint: Nullable<string>
  allowed_origins: JsonText
  secret_sealed: string
  previous_secret_sealed: Nullable<string>
  previous_secret_expires_at: Nullable<number>
  revision: Counter
  serving_version: Nullable<number>
  last_seen_at: Nullable<number>
  created_at: number
  updated_at: number
}

export interface DeploymentsTable {
  owner_id: string
  runtime_id: string
  version: number
  deployment_id: string
  manifest: JsonText
  capability_count: number
  deployed_at: number
  /** When the newest execution that names it and has ended started; null where there is none. */
  last_used_at: Nullable<number>
}

export interface AllowancesTable {
  owner_id: string
  bucket: string
  /** The token bucket, kept as the time at which it is full again. */
  full_at: number
}

export interface NodesTable {
  node_id: string
  lease_until: number
  started_at: number
  steady_since: number | null
  settings: JsonText | null
}

export interface ExecutionsTable {
  owner_id: string
  execution_id: string
  runtime_id: string
  project_id: string
  deployment_version: Nullable<number>
  kind: ExecutionKind
  status: ExecutionStatus
  finish_reason: Nullable<FinishReason>
  error: Nullable<string>
  message_shape: JsonText
  steps: Counter
  /** The model's turns with their times; null where there were none, and for rows that are older than the column. */
  model_steps: Nullable<JsonText>
  input_tokens: Counter
  output_tokens: Counter
  total_tokens: Counter
  duration_ms: Nullable<number>
  metadata: Nullable<JsonText>
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

/** Calls of executions that began before their rows held them. No call is added. */
export interface CapabilityCallsTable {
  owner_id: string
  execution_id: string
  call_id: string
  /** Position among the calls of its execution, from 0. */
  ordinal: number
  capability: string
  step: number
  status: CapabilityCallStatus
  input: JsonText
  output: Nullable<JsonText>
  error: Nullable<string>
  started_at: number
  duration_ms: Nullable<number>
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
export const BUCKET_COLUMNS = [
  'b0',
  'b1',
  'b2',
  'b3',
  'b4',
  'b5',
  'b6',
  'b7',
  'b8',
  'b9',
  'b10',
  'b11',
  'b12',
  'b13',
  'b14',
  'b15',
] as const

type BucketCounters = Record<(typeof BUCKET_COLUMNS)[number], Counter>

export interface ExecutionRollupsTable
  extends RollupPlace,
    Record<(typeof EXECUTION_COUNTERS)[number], Counter>,
    BucketCounters {}

export interface CallRollupsTable extends RollupPlace, BucketCounters {
  capability: string
  calls: Counter
  failed: Counter
}

/** What executions came to that have ended and are not yet in the roll-ups: one row a batch, whoever their owners are. */
export interface UsageJournalTable {
  id: Generated<number>
  usages: JsonText
  /** Set on a row that could not be folded: it is kept for somebody to look at. */
  is_parked: Generated<Flag>
}

export interface CheckoutsTable {
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

type CapabilityCallStatus = 'dispatched' | 'completed' | 'failed'

/** SQL has no booleans that both engines share. */
type Flag = 0 | 1

type JsonText = string

/** As better-auth keeps times in tables of its own. */
type IsoText = string

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>

/** A whole number that starts at 0 where an insert leaves it out. */
type Counter = ColumnType<number, number | undefined, number>
