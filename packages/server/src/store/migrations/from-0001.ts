import type { Migrations } from './steps.ts'

const COUNTERS =
  'executions, completed, failed, anonymous, capability_calls, input_tokens, output_tokens, duration_ms'.split(', ')
const ROLLUP_PLACE = `owner_id $text not null,
      grain $text not null check (grain in ('hour', 'day')),
      at $bigint not null,
      runtime_id $text not null,
      project_id $text not null,
      span integer not null`
const BUCKETS = Array.from({ length: 16 }, (_, index) => `b${index} integer not null default 0`).join(', ')

const ENDED_INDEXES = {
  executions_by_status: 'owner_id, status',
  executions_by_runtime_status: 'owner_id, runtime_id, status',
  executions_by_project_status: 'owner_id, project_id, status',
  executions_by_place_status: "owner_id, (runtime_id || ' ' || project_id), status",
}

const PAYLOADS = {
  executions: ['message_shape', 'metadata', 'model_steps', 'error'],
  capability_calls: ['input', 'output', 'error'],
  deployments: ['manifest'],
}

export const FROM_0001: Migrations = {
  '0001-initial': [
    `create table owners (
      owner_id $text not null primary key,
      email $text not null unique check (email = lower(email)),
      tier $text not null check (tier in ('free', 'pro', 'enterprise')),
      created_at $bigint not null
    ) $strict`,
    `create table credentials (
      owner_id $text not null,
      credential_id $text not null,
      kind $text not null check (kind in ('account', 'deploy', 'public')),
      runtime_id $text,
      hash $text not null unique,
      sealed $text,
      prefix $text not null,
      created_at $bigint not null,
      expires_at $bigint,
      revoked_at $bigint,
      primary key (owner_id, credential_id)
    ) $strict`,
    'create index credentials_by_runtime on credentials (owner_id, runtime_id, kind)',
    `create table projects (
      owner_id $text not null,
      project_id $text not null unique,
      name $text not null,
      description $text,
      is_default integer not null check (is_default in (0, 1)),
      created_at $bigint not null,
      updated_at $bigint not null,
      primary key (owner_id, project_id)
    ) $strict`,
    'create unique index projects_one_default on projects (owner_id) where is_default = 1',
    `create table runtimes (
      owner_id $text not null,
      runtime_id $text not null unique,
      project_id $text not null,
      name $text not null,
      version $text not null,
      endpoint $text,
      allowed_origins $text not null,
      secret_sealed $text not null,
      previous_secret_sealed $text,
      previous_secret_expires_at $bigint,
      revision integer not null default 0,
      serving_version integer,
      last_seen_at $bigint,
      created_at $bigint not null,
      updated_at $bigint not null,
      primary key (owner_id, runtime_id)
    ) $strict`,
    'create index runtimes_by_age on runtimes (owner_id, created_at desc, runtime_id desc)',
    'create index runtimes_by_project on runtimes (owner_id, project_id, created_at, runtime_id)',
    `create table deployments (
      owner_id $text not null,
      runtime_id $text not null,
      version integer not null check (version > 0),
      deployment_id $text not null unique,
      manifest $text not null,
      capability_count integer not null,
      deployed_at $bigint not null,
      primary key (owner_id, runtime_id, version)
    ) $strict`,
    `create table allowances (
      owner_id $text not null,
      bucket $text not null,
      full_at $bigint not null,
      primary key (owner_id, bucket)
    ) $strict`,
    `create table nodes (
      node_id $text not null primary key,
      lease_until $bigint not null,
      started_at $bigint not null
    ) $strict`,
    `create table executions (
      owner_id $text not null,
      execution_id $text not null unique,
      runtime_id $text not null,
      project_id $text not null,
      deployment_version integer,
      kind $text not null check (kind in ('execute', 'capability', 'broker')),
      status $text not null check (status in ('running', 'completed', 'failed')),
      finish_reason $text check (finish_reason in ('stop', 'length', 'error', 'cancelled')),
      error $text,
      message_shape $text not null,
      steps integer not null default 0,
      input_tokens $bigint not null default 0,
      output_tokens $bigint not null default 0,
      total_tokens $bigint not null default 0,
      duration_ms $bigint,
      metadata $text,
      call_count integer not null default 0,
      started_at $bigint not null,
      completed_at $bigint,
      node_id $text,
      primary key (owner_id, execution_id),
      constraint executions_running_has_node check (status <> 'running' or node_id is not null),
      constraint executions_running_is_open check ((status = 'running') = (completed_at is null))
    ) $strict`,
    'create index executions_by_start on executions (owner_id, started_at desc, execution_id desc)',
    'create index executions_by_status on executions (owner_id, status, started_at desc, execution_id desc)',
    'create index executions_by_runtime on executions (owner_id, runtime_id, started_at desc, execution_id desc)',
    `create index executions_by_runtime_status
      on executions (owner_id, runtime_id, status, started_at desc, execution_id desc)`,
    "create index executions_running on executions (node_id) where status = 'running'",
    `create table capability_calls (
      owner_id $text not null,
      execution_id $text not null,
      call_id $text not null,
      ordinal integer not null,
      capability $text not null,
      step integer not null,
      status $text not null check (status in ('dispatched', 'completed', 'failed')),
      input $text not null,
      output $text,
      error $text,
      started_at $bigint not null,
      duration_ms $bigint,
      primary key (owner_id, execution_id, call_id)
    ) $strict`,
    `create table usage_hours (
      owner_id $text not null,
      hour $bigint not null,
      runtime_id $text not null,
      project_id $text not null,
      executions $bigint not null default 0,
      completed $bigint not null default 0,
      failed $bigint not null default 0,
      anonymous $bigint not null default 0,
      capability_calls $bigint not null default 0,
      input_tokens $bigint not null default 0,
      output_tokens $bigint not null default 0,
      duration_ms $bigint not null default 0,
      primary key (owner_id, hour, runtime_id)
    ) $strict`,
  ],
  /** Account keys get a name, and are listed newest first. */
  '0002-account-keys': [
    'alter table credentials add column name $text',
    // Until now, an operator's command was the one way to an account key.
    "update credentials set name = 'create-owner' where kind = 'account'",
    'create index credentials_by_age on credentials (owner_id, kind, created_at desc, credential_id desc)',
  ],
  /**
   * Passwords and sessions of owners. The `auth_` tables have the shape of a library that earlier releases used: their times
   * are ISO 8601 text, and decide nothing. `valid_until` decides. `auth_users` is gone since 0045.
   */
  '0003-sessions': [
    `create table auth_users (
      id $text not null primary key,
      name $text not null,
      email $text not null unique check (email = lower(email)),
      email_verified integer not null check (email_verified in (0, 1)),
      image $text,
      created_at $text not null,
      updated_at $text not null
    ) $strict`,
    `create table auth_accounts (
      owner_id $text not null,
      id $text not null unique,
      account_id $text not null,
      provider_id $text not null,
      password $text,
      password_version integer not null,
      created_at $text not null,
      updated_at $text not null,
      primary key (owner_id, provider_id)
    ) $strict`,
    `create table auth_sessions (
      owner_id $text not null,
      id $text not null,
      token $text not null unique,
      valid_until $bigint not null,
      password_version integer not null,
      ip_address $text,
      user_agent $text,
      expires_at $text not null,
      created_at $text not null,
      updated_at $text not null,
      primary key (owner_id, id)
    ) $strict`,
    'create index auth_sessions_by_end on auth_sessions (valid_until)',
    `create table throttles (
      subject $text not null primary key,
      full_at $bigint not null
    ) $strict`,
    'create index throttles_by_time on throttles (full_at)',
  ],
  /** Usage is counted by day as well as by hour, by project, and with its durations; what was counted before has none. */
  '0004-rollups': [
    `create table execution_rollups (
      ${ROLLUP_PLACE},
      ${COUNTERS.map((counter) => `${counter} $bigint not null default 0`).join(', ')},
      ${BUCKETS},
      primary key (owner_id, grain, at, span, runtime_id, project_id)
    ) $strict`,
    `create table call_rollups (
      ${ROLLUP_PLACE},
      capability $text not null,
      calls $bigint not null default 0,
      failed $bigint not null default 0,
      ${BUCKETS},
      primary key (owner_id, grain, at, capability, span, runtime_id, project_id)
    ) $strict`,
    counted('hour', 'hour'),
    counted('day', 'hour - hour % 86400000'),
    'drop table usage_hours',
  ],
  /**
   * One index for each set of filters that a list of executions can have, the status always among them: a list without a
   * status merges the ranges of the three, which costs less than as many indexes again on every write.
   */
  '0005-listings': [
    'drop index executions_by_start',
    'drop index executions_by_runtime',
    `create index executions_by_project_status
      on executions (owner_id, project_id, status, started_at desc, execution_id desc)`,
    `create index executions_by_place_status
      on executions (owner_id, (runtime_id || ' ' || project_id), status, started_at desc, execution_id desc)`,
  ],
  /** Checkouts, and which of them an account's tier was paid with. */
  '0006-billing': [
    'alter table owners add column paid_by $text',
    `create table checkouts (
      owner_id $text not null,
      checkout_id $text not null unique,
      tier $text not null check (tier in ('free', 'pro', 'enterprise')),
      provider $text not null check (provider in ('stripe', 'test')),
      provider_ref $text not null,
      subscription_ref $text,
      status $text not null check (status in ('pending', 'paid', 'expired', 'ended')),
      success_url $text not null,
      cancel_url $text not null,
      created_at $bigint not null,
      expires_at $bigint not null,
      paid_at $bigint,
      ended_at $bigint,
      primary key (owner_id, checkout_id)
    ) $strict`,
    'create unique index checkouts_by_ref on checkouts (provider, provider_ref)',
    `create index checkouts_by_subscription on checkouts (provider, subscription_ref)
      where subscription_ref is not null`,
    'create index checkouts_by_status on checkouts (owner_id, status)',
  ],
  /**
   * The statement that ends an execution writes its usage to a journal; the counters are added to later. The indexes of lists
   * hold ended executions alone, so that each is written to them once. Running ones are few and have an index of their own.
   */
  '0007-usage-journal': [
    `create table usage_journal (
      id $serial,
      usages $text not null,
      is_parked integer not null default 0 check (is_parked in (0, 1))
    ) $strict`,
    ...Object.entries(ENDED_INDEXES).flatMap(([name, columns]) => [
      `drop index ${name}`,
      `create index ${name} on executions (${columns}, started_at desc, execution_id desc) where status <> 'running'`,
    ]),
    'drop index executions_running',
    `create index executions_running on executions (owner_id, started_at desc, execution_id desc)
      where status = 'running'`,
  ],
  /** When each turn of the model began, how long it took, and its tokens: a list as JSON text. */
  '0008-model-steps': ['alter table executions add column model_steps $text'],
  /**
   * The executions of a runtime are found by the index of runtime and project together, one range for each project that it
   * ran in. In either index a call is written to a page of its own, where an owner has many runtimes.
   */
  '0009-fewer-indexes': ['drop index executions_by_runtime_status'],
  /** Since when leases have been renewed without a gap, as each node knows it: null for a server of an earlier release. */
  '0010-steady-nodes': ['alter table nodes add column steady_since $bigint'],
  /** Rate limits are counted in memory: the rows that held them are read no more. */
  '0011-rate-in-memory': ["delete from allowances where bucket like 'rate:%'"],
  /** How many bytes an account has stored, and when an execution last named a deployment. What is there is counted once. */
  '0012-stored-bytes': [
    'alter table owners add column stored_bytes $bigint not null default 0',
    'alter table deployments add column last_used_at $bigint',
    `update deployments set last_used_at = used.at from (
      select owner_id, runtime_id, deployment_version, max(started_at) as at
      from executions where deployment_version is not null group by owner_id, runtime_id, deployment_version
    ) as used where used.owner_id = deployments.owner_id and used.runtime_id = deployments.runtime_id
      and used.deployment_version = deployments.version`,
    ...Object.entries(PAYLOADS).map(
      ([table, columns]) => `update owners set stored_bytes = stored_bytes + counted.bytes from (
        select owner_id, sum(${columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')}) as bytes from ${table} group by owner_id
      ) as counted where counted.owner_id = owners.owner_id`,
    ),
  ],
}

function counted(grain: 'hour' | 'day', start: string): string {
  const sums = COUNTERS.map((counter) => `sum(${counter})`).join(', ')
  return `insert into execution_rollups (owner_id, grain, at, runtime_id, project_id, span, ${COUNTERS.join(', ')})
    select owner_id, '${grain}', ${start}, runtime_id, project_id, 0, ${sums}
    from usage_hours group by owner_id, ${start}, runtime_id, project_id`
}
