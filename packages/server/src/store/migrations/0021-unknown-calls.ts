import type { ColumnTypes } from './column-types.ts'

/** Calls whose outcome is unknown are counted beside those that failed. Earlier releases counted them among these. */
export function unknownCalls({ bigint }: ColumnTypes): string[] {
  return [
    `alter table executions add column unknown_calls ${bigint} not null default 0`,
    `create index executions_by_unknown_calls on executions (owner_id, started_at desc, execution_id desc)
      where unknown_calls > 0`,
    `alter table call_rollups add column unknown ${bigint} not null default 0`,
  ]
}
