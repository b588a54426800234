import type { ColumnTypes } from './column-types.ts'

/**
 * Webhooks and the events that wait for them. `due_at` is set on the first event that waits of each webhook and runtime;
 * those after it have null, so that they come in order.
 */
export function webhooks({ text, bigint, serial, strict }: ColumnTypes): string[] {
  return [
    `create table webhooks (
      webhook_id ${text} primary key not null,
      owner_id ${text} not null references owners (owner_id),
      url ${text} not null,
      events ${text} not null,
      secret_sealed ${text} not null,
      created_at ${bigint} not null
    ) ${strict}`,
    'create index webhooks_by_owner on webhooks (owner_id, webhook_id)',
    `create table webhook_deliveries (
      id ${serial},
      delivery_id ${text} not null unique,
      webhook_id ${text} not null references webhooks (webhook_id),
      owner_id ${text} not null,
      runtime_id ${text} not null,
      type ${text} not null,
      payload ${text} not null,
      status ${text} not null check (status in ('waiting', 'delivered', 'failed')),
      attempts ${bigint} not null default 0,
      last_error ${text},
      created_at ${bigint} not null,
      give_up_at ${bigint} not null,
      due_at ${bigint},
      ended_at ${bigint}
    ) ${strict}`,
    'create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, created_at desc, delivery_id desc)',
    `create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, runtime_id, id) where status = 'waiting'`,
    'create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null',
    `create table quota_alerts (
      owner_id ${text} not null references owners (owner_id),
      bucket ${text} not null,
      percent ${bigint} not null,
      primary key (owner_id, bucket)
    ) ${strict}`,
    `alter table runtimes add column unreachable_since ${bigint}`,
  ]
}
