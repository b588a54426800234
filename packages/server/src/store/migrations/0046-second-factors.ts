import type { ColumnTypes } from './column-types.ts'

/**
 * Links that set a forgotten password, at most one for each account, and the second factors of accounts: a secret that an app
 * shares, on once `confirmed_at` is set, and the recovery codes that are left.
 */
export function secondFactors({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table password_resets (
      owner_id ${text} primary key not null references owners (owner_id),
      token_hash ${text} not null unique,
      expires_at ${bigint} not null
    ) ${strict}`,
    `create table second_factors (
      owner_id ${text} primary key not null references owners (owner_id),
      secret_sealed ${text} not null,
      confirmed_at ${bigint},
      last_step ${bigint} not null default 0
    ) ${strict}`,
    `create table recovery_codes (
      owner_id ${text} not null references owners (owner_id),
      code_hash ${text} not null,
      primary key (owner_id, code_hash)
    ) ${strict}`,
  ]
}
