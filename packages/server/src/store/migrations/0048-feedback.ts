import type { ColumnTypes } from './column-types.ts'

/** What the end user thought of an answer: 1 or -1. Few executions have it: their index, by which it is counted, too, is small. */
export function feedback({ bigint }: ColumnTypes): string[] {
  return [
    `alter table executions add column feedback ${bigint}`,
    `create index executions_by_feedback on executions
      (owner_id, started_at desc, execution_id desc, feedback, runtime_id, project_id) where feedback is not null`,
  ]
}
