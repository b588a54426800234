import type { ColumnTypes } from './column-types.ts'

/** Checkouts, and which of them an account's tier was paid with. */
export function billing({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `alter table owners add column paid_by ${text}`,
    `create table checkouts (
      owner_id ${text} not null,
      checkout_id ${text} not null unique,
      tier ${text} not null check (tier in ('free', 'pro', 'enterprise')),
      provider ${text} not null check (provider in ('stripe', 'test')),
      provider_ref ${text} not null,
      subscription_ref ${text},
      status ${text} not null check (status in ('pending', 'paid', 'expired', 'ended')),
      success_url ${text} not null,
      cancel_url ${text} not null,
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      paid_at ${bigint},
      ended_at ${bigint},
      primary key (owner_id, checkout_id)
    ) ${strict}`,
    'create unique index checkouts_by_ref on checkouts (provider, provider_ref)',
    `create index checkouts_by_subscription on checkouts (provider, subscription_ref)
      where subscription_ref is not null`,
    'create index checkouts_by_status on checkouts (owner_id, status)',
  ]
}
