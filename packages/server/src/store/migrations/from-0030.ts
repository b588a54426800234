import type { Migrations } from './steps.ts'

const SERVING = `from runtimes where runtimes.owner_id = deployments.owner_id
    and runtimes.runtime_id = deployments.runtime_id and runtimes.serving_version = deployments.version`

export const FROM_0030: Migrations = {
  /** The protocol that an execution came by; null where that is the API's own, and in older rows. */
  '0030-execution-surface': ['alter table executions add column surface $text'],
  /**
   * Webhooks and the events that wait for them. `due_at` is set on the first event that waits of each webhook and runtime;
   * those after it have null, so that they come in order.
   */
  '0032-webhooks': [
    `create table webhooks (
      webhook_id $text primary key not null,
      owner_id $text not null references owners (owner_id),
      url $text not null,
      events $text not null,
      secret_sealed $text not null,
      created_at $bigint not null
    ) $strict`,
    'create index webhooks_by_owner on webhooks (owner_id, webhook_id)',
    `create table webhook_deliveries (
      id $serial,
      delivery_id $text not null unique,
      webhook_id $text not null references webhooks (webhook_id),
      owner_id $text not null,
      runtime_id $text not null,
      type $text not null,
      payload $text not null,
      status $text not null check (status in ('waiting', 'delivered', 'failed')),
      attempts $bigint not null default 0,
      last_error $text,
      created_at $bigint not null,
      give_up_at $bigint not null,
      due_at $bigint,
      ended_at $bigint
    ) $strict`,
    'create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, created_at desc, delivery_id desc)',
    `create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, runtime_id, id) where status = 'waiting'`,
    'create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null',
    `create table quota_alerts (
      owner_id $text not null references owners (owner_id),
      bucket $text not null,
      percent $bigint not null,
      primary key (owner_id, bucket)
    ) $strict`,
    'alter table runtimes add column unreachable_since $bigint',
  ],
  /**
   * At most one candidate for each runtime, with what it and the stable deployment served since its share was set: `since` names
   * that share. `previous_version` is the deployment that was stable before.
   */
  '0042-traffic': [
    'alter table runtimes add column previous_version integer',
    `update runtimes set previous_version = (
      select max(version) from deployments
      where deployments.owner_id = runtimes.owner_id and deployments.runtime_id = runtimes.runtime_id
        and version < serving_version)`,
    `create table candidates (
      runtime_id $text primary key not null references runtimes (runtime_id),
      owner_id $text not null,
      version integer not null,
      traffic integer not null check (traffic between 0 and 100),
      since $bigint not null,
      stable_counts $text not null,
      counts $text not null,
      tested_at $bigint not null default 0,
      frozen_reason $text,
      frozen_at $bigint
    ) $strict`,
  ],
  /** The latest events of each account, which its webhooks are told of and its owner sees. */
  '0043-account-events': [
    `create table account_events (
      id $serial,
      event_id $text not null,
      owner_id $text not null references owners (owner_id),
      runtime_id $text not null,
      type $text not null,
      data $text not null,
      created_at $bigint not null
    ) $strict`,
    'create index account_events_by_owner on account_events (owner_id, id desc, event_id desc)',
  ],
  /**
   * The endpoint of a deployment, so that a rollback goes back there; the version that was stable before a candidate got its
   * share; and the share under which a call was asked to be approved.
   */
  '0044-rollback': [
    'alter table deployments add column endpoint $text',
    `update deployments set endpoint = (select runtimes.endpoint ${SERVING}) where exists (select 1 ${SERVING})`,
    'alter table candidates add column earlier_executions $bigint not null default 0',
    'alter table candidates add column earlier_bad $bigint not null default 0',
    'alter table approvals add column share $bigint',
  ],
  /**
   * Accounts that are deleted, and the ids of deleted runtimes, which are not given again: a hash, and the id itself until
   * nothing of the runtime is left. When sessions and keys were last used. `auth_users` has not been read for a long time.
   */
  '0045-deletions': [
    'alter table owners add column deleted_at $bigint',
    'create index owners_deleted on owners (deleted_at) where deleted_at is not null',
    `create table retired_runtimes (
      id_hash $text primary key not null,
      owner_id $text,
      runtime_id $text,
      deleted_at $bigint not null
    ) $strict`,
    'create index retired_runtimes_by_owner on retired_runtimes (owner_id, deleted_at)',
    'create index retired_runtimes_left on retired_runtimes (owner_id, runtime_id) where runtime_id is not null',
    'alter table auth_sessions add column last_used_at $bigint',
    'alter table credentials add column last_used_at $bigint',
    'drop table auth_users',
  ],
  /**
   * Links that set a forgotten password, at most one for each account, and the second factors of accounts: a secret that an app
   * shares, on once `confirmed_at` is set, and the recovery codes that are left.
   */
  '0046-second-factors': [
    `create table password_resets (
      owner_id $text primary key not null references owners (owner_id),
      token_hash $text not null unique,
      expires_at $bigint not null
    ) $strict`,
    `create table second_factors (
      owner_id $text primary key not null references owners (owner_id),
      secret_sealed $text not null,
      confirmed_at $bigint,
      last_step $bigint not null default 0
    ) $strict`,
    `create table recovery_codes (
      owner_id $text not null references owners (owner_id),
      code_hash $text not null,
      primary key (owner_id, code_hash)
    ) $strict`,
  ],
  /**
   * People of an account, each with an address, a password and a role, and invitations of further ones. What belonged to an
   * account's one person belongs to a member now, whose id is the account's own where the account is older.
   */
  '0047-members': [
    `create table members (
      member_id $text primary key not null,
      owner_id $text not null references owners (owner_id),
      email $text not null unique,
      role $text not null check (role in ('owner', 'developer', 'viewer')),
      password $text,
      password_version $bigint not null default 0,
      joined_at $bigint not null
    ) $strict`,
    'create index members_by_owner on members (owner_id, joined_at, member_id)',
    `insert into members (member_id, owner_id, email, role, password, password_version, joined_at)
      select o.owner_id, o.owner_id, o.email, 'owner', a.password, coalesce(a.password_version, 0), o.created_at
      from owners o left join auth_accounts a on a.owner_id = o.owner_id and a.provider_id = 'credential'
      where o.deleted_at is null`,
    'drop table auth_accounts',
    `create table invitations (
      invitation_id $text primary key not null,
      owner_id $text not null references owners (owner_id),
      email $text not null,
      role $text not null check (role in ('owner', 'developer', 'viewer')),
      token_hash $text not null unique,
      created_at $bigint not null,
      expires_at $bigint not null,
      unique (owner_id, email)
    ) $strict`,
    'create index invitations_by_end on invitations (expires_at)',
    // Links last half an hour.
    'drop table password_resets',
    `create table password_resets (
      member_id $text primary key not null,
      owner_id $text not null references owners (owner_id),
      token_hash $text not null unique,
      expires_at $bigint not null
    ) $strict`,
    'alter table second_factors rename to earlier_factors',
    `create table second_factors (
      member_id $text primary key not null,
      owner_id $text not null references owners (owner_id),
      secret_sealed $text not null,
      confirmed_at $bigint,
      last_step $bigint not null default 0
    ) $strict`,
    `insert into second_factors (member_id, owner_id, secret_sealed, confirmed_at, last_step)
      select owner_id, owner_id, secret_sealed, confirmed_at, last_step from earlier_factors`,
    'drop table earlier_factors',
    'alter table recovery_codes rename to earlier_codes',
    `create table recovery_codes (
      member_id $text not null,
      owner_id $text not null references owners (owner_id),
      code_hash $text not null,
      primary key (member_id, code_hash)
    ) $strict`,
    `insert into recovery_codes (member_id, owner_id, code_hash)
      select owner_id, owner_id, code_hash from earlier_codes`,
    'drop table earlier_codes',
    `alter table auth_sessions add column member_id $text not null default ''`,
    'update auth_sessions set member_id = owner_id',
    'create index auth_sessions_by_member on auth_sessions (member_id, valid_until)',
    `alter table known_networks add column member_id $text not null default ''`,
    'update known_networks set member_id = owner_id',
    // No key of a login that waits may stay behind a member who is removed.
    'delete from device_logins where owner_id is not null',
    'alter table device_logins add column member_id $text',
    'alter table credentials add column member_id $text',
    'alter table credentials add column role $text',
    "update credentials set role = 'owner' where kind = 'account'",
    // Keys of `svc login` end with their member.
    `update credentials set member_id = owner_id, role = null
      where kind = 'account' and name like 'svc on %' and owner_id in (select member_id from members)`,
    'create index credentials_by_member on credentials (member_id) where member_id is not null',
  ],
  /** What the end user thought of an answer: 1 or -1. Few executions have it: their index, by which it is counted, too, is small. */
  '0048-feedback': [
    'alter table executions add column feedback $bigint',
    `create index executions_by_feedback on executions
      (owner_id, started_at desc, execution_id desc, feedback, runtime_id, project_id) where feedback is not null`,
  ],
  /** The git commit of a deployment’s files, and the member who deployed it. */
  '0049-deployment-source': [
    'alter table deployments add column source $text',
    'alter table deployments add column deployed_by $text',
  ],
}
