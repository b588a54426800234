import type { ColumnTypes } from './column-types.ts'

/** When the endpoint is next asked what became of an execution's unknown calls. */
export function reconciled({ bigint }: ColumnTypes): string[] {
  return [
    `alter table executions add column reconcile_at ${bigint}`,
    'create index executions_to_reconcile on executions (owner_id, reconcile_at) where reconcile_at is not null',
  ]
}
