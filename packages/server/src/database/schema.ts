import type { ExecutionKind, ExecutionStatus, FinishReason, KeyKind, Tier } from '@svc/contract'
import type { ColumnType } from 'kysely'

/** Every table of the control plane. Times are epoch milliseconds, payloads are JSON text, flags are 0 or 1. */
export interface Schema {
  owners: OwnersTable
  credentials: CredentialsTable
  projects: ProjectsTable
  runtimes: RuntimesTable
  deployments: DeploymentsTable
  allowances: AllowancesTable
  nodes: NodesTable
  executions: ExecutionsTable
  capability_calls: CapabilityCallsTable
  usage_hours: UsageHoursTable
}

export interface OwnersTable {
  owner_id: string
  email: string
  tier: Tier
  created_at: number
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
  created_at: number
  expires_at: Nullable<number>
  revoked_at: Nullable<number>
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
  input_tokens: Counter
  output_tokens: Counter
  total_tokens: Counter
  duration_ms: Nullable<number>
  metadata: Nullable<JsonText>
  call_count: Counter
  started_at: number
  completed_at: Nullable<number>
  /** The node that runs it; a running row always has one. */
  node_id: Nullable<string>
}

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

export interface UsageHoursTable {
  owner_id: string
  /** Start of the UTC hour. */
  hour: number
  runtime_id: string
  project_id: string
  executions: Counter
  completed: Counter
  failed: Counter
  anonymous: Counter
  capability_calls: Counter
  input_tokens: Counter
  output_tokens: Counter
  duration_ms: Counter
}

type CapabilityCallStatus = 'dispatched' | 'completed' | 'failed'

/** SQL has no booleans that both engines share. */
type Flag = 0 | 1

type JsonText = string

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>

/** A whole number that starts at 0 where an insert leaves it out. */
type Counter = ColumnType<number, number | undefined, number>
