import type { ColumnTypes } from './column-types.ts'

/**
 * People of an account, each with an address, a password and a role, and invitations of further ones. What belonged to an
 * account's one person belongs to a member now, whose id is the account's own where the account is older.
 */
export function members(types: ColumnTypes): string[] {
  return [...people(types), ...ownFactors(types), ...byMember(types)]
}

function people({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table members (
      member_id ${text} primary key not null,
      owner_id ${text} not null references owners (owner_id),
      email ${text} not null unique,
      role ${text} not null check (role in ('owner', 'developer', 'viewer')),
      password ${text},
      password_version ${bigint} not null default 0,
      joined_at ${bigint} not null
    ) ${strict}`,
    'create index members_by_owner on members (owner_id, joined_at, member_id)',
    `insert into members (member_id, owner_id, email, role, password, password_version, joined_at)
      select o.owner_id, o.owner_id, o.email, 'owner', a.password, coalesce(a.password_version, 0), o.created_at
      from owners o left join auth_accounts a on a.owner_id = o.owner_id and a.provider_id = 'credential'
      where o.deleted_at is null`,
    'drop table auth_accounts',
    `create table invitations (
      invitation_id ${text} primary key not null,
      owner_id ${text} not null references owners (owner_id),
      email ${text} not null,
      role ${text} not null check (role in ('owner', 'developer', 'viewer')),
      token_hash ${text} not null unique,
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      unique (owner_id, email)
    ) ${strict}`,
    'create index invitations_by_end on invitations (expires_at)',
  ]
}

function ownFactors({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    // Links last half an hour.
    'drop table password_resets',
    `create table password_resets (
      member_id ${text} primary key not null,
      owner_id ${text} not null references owners (owner_id),
      token_hash ${text} not null unique,
      expires_at ${bigint} not null
    ) ${strict}`,
    'alter table second_factors rename to earlier_factors',
    `create table second_factors (
      member_id ${text} primary key not null,
      owner_id ${text} not null references owners (owner_id),
      secret_sealed ${text} not null,
      confirmed_at ${bigint},
      last_step ${bigint} not null default 0
    ) ${strict}`,
    `insert into second_factors (member_id, owner_id, secret_sealed, confirmed_at, last_step)
      select owner_id, owner_id, secret_sealed, confirmed_at, last_step from earlier_factors`,
    'drop table earlier_factors',
    'alter table recovery_codes rename to earlier_codes',
    `create table recovery_codes (
      member_id ${text} not null,
      owner_id ${text} not null references owners (owner_id),
      code_hash ${text} not null,
      primary key (member_id, code_hash)
    ) ${strict}`,
    `insert into recovery_codes (member_id, owner_id, code_hash)
      select owner_id, owner_id, code_hash from earlier_codes`,
    'drop table earlier_codes',
  ]
}

function byMember({ text }: ColumnTypes): string[] {
  return [
    `alter table auth_sessions add column member_id ${text} not null default ''`,
    'update auth_sessions set member_id = owner_id',
    'create index auth_sessions_by_member on auth_sessions (member_id, valid_until)',
    `alter table known_networks add column member_id ${text} not null default ''`,
    'update known_networks set member_id = owner_id',
    // No key of a login that waits may stay behind a member who is removed.
    'delete from device_logins where owner_id is not null',
    `alter table device_logins add column member_id ${text}`,
    `alter table credentials add column member_id ${text}`,
    `alter table credentials add column role ${text}`,
    "update credentials set role = 'owner' where kind = 'account'",
    // Keys of `svc login` end with their member.
    `update credentials set member_id = owner_id, role = null
      where kind = 'account' and name like 'svc on %' and owner_id in (select member_id from members)`,
    'create index credentials_by_member on credentials (member_id) where member_id is not null',
  ]
}
