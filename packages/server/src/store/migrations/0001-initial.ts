import type { ColumnTypes } from './column-types.ts'

export function initial(types: ColumnTypes): string[] {
  return [...accounts(types), ...runtimes(types), ...admission(types), ...traces(types), ...usage(types)]
}

function accounts({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table owners (
      owner_id ${text} not null primary key,
      email ${text} not null unique check (email = lower(email)),
      tier ${text} not null check (tier in ('free', 'pro', 'enterprise')),
      created_at ${bigint} not null
    ) ${strict}`,
    `create table credentials (
      owner_id ${text} not null,
      credential_id ${text} not null,
      kind ${text} not null check (kind in ('account', 'deploy', 'public')),
      runtime_id ${text},
      hash ${text} not null unique,
      sealed ${text},
      prefix ${text} not null,
      created_at ${bigint} not null,
      expires_at ${bigint},
      revoked_at ${bigint},
      primary key (owner_id, credential_id)
    ) ${strict}`,
    'create index credentials_by_runtime on credentials (owner_id, runtime_id, kind)',
  ]
}

function runtimes({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table projects (
      owner_id ${text} not null,
      project_id ${text} not null unique,
      name ${text} not null,
      description ${text},
      is_default integer not null check (is_default in (0, 1)),
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      primary key (owner_id, project_id)
    ) ${strict}`,
    'create unique index projects_one_default on projects (owner_id) where is_default = 1',
    `create table runtimes (
      owner_id ${text} not null,
      runtime_id ${text} not null unique,
      project_id ${text} not null,
      name ${text} not null,
      version ${text} not null,
      endpoint ${text},
      allowed_origins ${text} not null,
      secret_sealed ${text} not null,
      previous_secret_sealed ${text},
      previous_secret_expires_at ${bigint},
      revision integer not null default 0,
      serving_version integer,
      last_seen_at ${bigint},
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      primary key (owner_id, runtime_id)
    ) ${strict}`,
    'create index runtimes_by_age on runtimes (owner_id, created_at desc, runtime_id desc)',
    'create index runtimes_by_project on runtimes (owner_id, project_id, created_at, runtime_id)',
    `create table deployments (
      owner_id ${text} not null,
      runtime_id ${text} not null,
      version integer not null check (version > 0),
      deployment_id ${text} not null unique,
      manifest ${text} not null,
      capability_count integer not null,
      deployed_at ${bigint} not null,
      primary key (owner_id, runtime_id, version)
    ) ${strict}`,
  ]
}

function admission({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table allowances (
      owner_id ${text} not null,
      bucket ${text} not null,
      full_at ${bigint} not null,
      primary key (owner_id, bucket)
    ) ${strict}`,
    `create table nodes (
      node_id ${text} not null primary key,
      lease_until ${bigint} not null,
      started_at ${bigint} not null
    ) ${strict}`,
  ]
}

function traces({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table executions (
      owner_id ${text} not null,
      execution_id ${text} not null unique,
      runtime_id ${text} not null,
      project_id ${text} not null,
      deployment_version integer,
      kind ${text} not null check (kind in ('execute', 'capability', 'broker')),
      status ${text} not null check (status in ('running', 'completed', 'failed')),
      finish_reason ${text} check (finish_reason in ('stop', 'length', 'error', 'cancelled')),
      error ${text},
      message_shape ${text} not null,
      steps integer not null default 0,
      input_tokens ${bigint} not null default 0,
      output_tokens ${bigint} not null default 0,
      total_tokens ${bigint} not null default 0,
      duration_ms ${bigint},
      metadata ${text},
      call_count integer not null default 0,
      started_at ${bigint} not null,
      completed_at ${bigint},
      node_id ${text},
      primary key (owner_id, execution_id),
      constraint executions_running_has_node check (status <> 'running' or node_id is not null),
      constraint executions_running_is_open check ((status = 'running') = (completed_at is null))
    ) ${strict}`,
    'create index executions_by_start on executions (owner_id, started_at desc, execution_id desc)',
    'create index executions_by_status on executions (owner_id, status, started_at desc, execution_id desc)',
    'create index executions_by_runtime on executions (owner_id, runtime_id, started_at desc, execution_id desc)',
    `create index executions_by_runtime_status
      on executions (owner_id, runtime_id, status, started_at desc, execution_id desc)`,
    "create index executions_running on executions (node_id) where status = 'running'",
    `create table capability_calls (
      owner_id ${text} not null,
      execution_id ${text} not null,
      call_id ${text} not null,
      ordinal integer not null,
      capability ${text} not null,
      step integer not null,
      status ${text} not null check (status in ('dispatched', 'completed', 'failed')),
      input ${text} not null,
      output ${text},
      error ${text},
      started_at ${bigint} not null,
      duration_ms ${bigint},
      primary key (owner_id, execution_id, call_id)
    ) ${strict}`,
  ]
}

function usage({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table usage_hours (
      owner_id ${text} not null,
      hour ${bigint} not null,
      runtime_id ${text} not null,
      project_id ${text} not null,
      executions ${bigint} not null default 0,
      completed ${bigint} not null default 0,
      failed ${bigint} not null default 0,
      anonymous ${bigint} not null default 0,
      capability_calls ${bigint} not null default 0,
      input_tokens ${bigint} not null default 0,
      output_tokens ${bigint} not null default 0,
      duration_ms ${bigint} not null default 0,
      primary key (owner_id, hour, runtime_id)
    ) ${strict}`,
  ]
}
