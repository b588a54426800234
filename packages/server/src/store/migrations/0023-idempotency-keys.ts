import type { ColumnTypes } from './column-types.ts'

/** Keys under which callers repeat a call, each with the execution that ran first. Its row holds the answer. */
export function idempotencyKeys({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table idempotency_keys (
      key_hash ${text} primary key not null,
      owner_id ${text} not null,
      body_hash ${text} not null,
      execution_id ${text} not null,
      created_at ${bigint} not null
    ) ${strict}`,
    'create index idempotency_keys_by_owner on idempotency_keys (owner_id)',
    'create index idempotency_keys_by_time on idempotency_keys (created_at)',
  ]
}
