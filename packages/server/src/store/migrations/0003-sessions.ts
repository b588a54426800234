import type { ColumnTypes } from './column-types.ts'

/**
 * Passwords and sessions of owners. The `auth_` tables have the shape of a library that earlier releases used: their times
 * are ISO 8601 text, and decide nothing. `valid_until` decides. `auth_users` is gone since 0045.
 */
export function sessions(types: ColumnTypes): string[] {
  return [...passwords(types), ...sessionTables(types)]
}

function passwords({ text, strict }: ColumnTypes): string[] {
  return [
    `create table auth_users (
      id ${text} not null primary key,
      name ${text} not null,
      email ${text} not null unique check (email = lower(email)),
      email_verified integer not null check (email_verified in (0, 1)),
      image ${text},
      created_at ${text} not null,
      updated_at ${text} not null
    ) ${strict}`,
    `create table auth_accounts (
      owner_id ${text} not null,
      id ${text} not null unique,
      account_id ${text} not null,
      provider_id ${text} not null,
      password ${text},
      password_version integer not null,
      created_at ${text} not null,
      updated_at ${text} not null,
      primary key (owner_id, provider_id)
    ) ${strict}`,
  ]
}

function sessionTables({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table auth_sessions (
      owner_id ${text} not null,
      id ${text} not null,
      token ${text} not null unique,
      valid_until ${bigint} not null,
      password_version integer not null,
      ip_address ${text},
      user_agent ${text},
      expires_at ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null,
      primary key (owner_id, id)
    ) ${strict}`,
    'create index auth_sessions_by_end on auth_sessions (valid_until)',
    `create table throttles (
      subject ${text} not null primary key,
      full_at ${bigint} not null
    ) ${strict}`,
    'create index throttles_by_time on throttles (full_at)',
  ]
}
