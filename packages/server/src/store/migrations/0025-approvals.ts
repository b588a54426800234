import type { ColumnTypes } from './column-types.ts'

/**
 * Calls that wait for a person. `executions.awaits_approval` is 1 where an execution ended for one: its `finish_reason` is
 * `stop` there, because the check of that column is older.
 */
export function approvals({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table approvals (
      approval_id ${text} primary key not null,
      owner_id ${text} not null references owners (owner_id),
      runtime_id ${text} not null,
      execution_id ${text} not null,
      call_id ${text} not null,
      capability ${text} not null,
      effect ${text} not null,
      step ${bigint} not null,
      ordinal ${bigint} not null,
      deployment_version ${bigint} not null,
      endpoint ${text} not null,
      status ${text} not null check (status in ('pending', 'approved', 'declined', 'expired')),
      input ${text} not null,
      input_hash ${text} not null,
      metadata ${text},
      preview ${text} not null,
      preview_hash ${text} not null,
      token_hash ${text},
      proof ${text} not null,
      result ${text},
      node_id ${text},
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      decided_at ${bigint}
    ) ${strict}`,
    'create index approvals_by_owner on approvals (owner_id, created_at desc, approval_id desc)',
    'create index approvals_by_status on approvals (owner_id, status, created_at desc, approval_id desc)',
    'create index approvals_by_execution on approvals (owner_id, execution_id)',
    `create index approvals_due on approvals (expires_at) where status = 'pending'`,
    `create index approvals_under_way on approvals (decided_at) where status = 'approved' and result is null`,
    `alter table executions add column awaits_approval ${bigint} not null default 0`,
  ]
}
