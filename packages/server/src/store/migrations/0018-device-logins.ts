import type { ColumnTypes } from './column-types.ts'

/** Devices that wait for an owner's confirmation, found by hashes of their two codes. */
export function deviceLogins({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table device_logins (
      device_hash ${text} primary key not null,
      user_hash ${text} not null unique,
      machine ${text} not null,
      network ${text} not null,
      status ${text} not null,
      owner_id ${text},
      requested_at ${bigint} not null,
      expires_at ${bigint} not null,
      polled_at ${bigint} not null default 0
    ) ${strict}`,
    'create index device_logins_by_expiry on device_logins (expires_at)',
  ]
}
