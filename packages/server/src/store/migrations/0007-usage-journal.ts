import type { ColumnTypes } from './column-types.ts'

const ENDED_INDEXES = {
  executions_by_status: 'owner_id, status',
  executions_by_runtime_status: 'owner_id, runtime_id, status',
  executions_by_project_status: 'owner_id, project_id, status',
  executions_by_place_status: "owner_id, (runtime_id || ' ' || project_id), status",
}

/**
 * What ends an execution writes its usage down, and the counters are added to later. The indexes of lists hold what has
 * ended, so that an execution is written to each of them once; of what runs there is little, and it has one of its own.
 */
export function usageJournal({ text, serial, strict }: ColumnTypes): string[] {
  return [
    `create table usage_journal (
      id ${serial},
      usages ${text} not null,
      is_parked integer not null default 0 check (is_parked in (0, 1))
    ) ${strict}`,
    ...Object.entries(ENDED_INDEXES).flatMap(([name, columns]) => [
      `drop index ${name}`,
      `create index ${name} on executions (${columns}, started_at desc, execution_id desc) where status <> 'running'`,
    ]),
    'drop index executions_running',
    `create index executions_running on executions (owner_id, started_at desc, execution_id desc)
      where status = 'running'`,
  ]
}
