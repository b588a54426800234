/**
 * One index for each set of filters that a list of executions can have, the status always among them: a list without a
 * status merges the ranges of the three, which costs less than as many indexes again on every write.
 */
export function listings(): string[] {
  return [
    'drop index executions_by_start',
    'drop index executions_by_runtime',
    `create index executions_by_project_status
      on executions (owner_id, project_id, status, started_at desc, execution_id desc)`,
    `create index executions_by_place_status
      on executions (owner_id, (runtime_id || ' ' || project_id), status, started_at desc, execution_id desc)`,
  ]
}
