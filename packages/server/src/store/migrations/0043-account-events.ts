import type { ColumnTypes } from './column-types.ts'

/** The latest events of each account, which its webhooks are told of and its owner sees. */
export function accountEvents({ text, bigint, serial, strict }: ColumnTypes): string[] {
  return [
    `create table account_events (
      id ${serial},
      event_id ${text} not null,
      owner_id ${text} not null references owners (owner_id),
      runtime_id ${text} not null,
      type ${text} not null,
      data ${text} not null,
      created_at ${bigint} not null
    ) ${strict}`,
    'create index account_events_by_owner on account_events (owner_id, id desc, event_id desc)',
  ]
}
