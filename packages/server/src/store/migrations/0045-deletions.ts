import type { ColumnTypes } from './column-types.ts'

/**
 * Accounts that are deleted, and the ids of deleted runtimes, which are not given again: a hash, and the id itself until
 * nothing of the runtime is left. When sessions and keys were last used. `auth_users` has not been read for a long time.
 */
export function deletions({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `alter table owners add column deleted_at ${bigint}`,
    'create index owners_deleted on owners (deleted_at) where deleted_at is not null',
    `create table retired_runtimes (
      id_hash ${text} primary key not null,
      owner_id ${text},
      runtime_id ${text},
      deleted_at ${bigint} not null
    ) ${strict}`,
    'create index retired_runtimes_by_owner on retired_runtimes (owner_id, deleted_at)',
    'create index retired_runtimes_left on retired_runtimes (owner_id, runtime_id) where runtime_id is not null',
    `alter table auth_sessions add column last_used_at ${bigint}`,
    `alter table credentials add column last_used_at ${bigint}`,
    'drop table auth_users',
  ]
}
