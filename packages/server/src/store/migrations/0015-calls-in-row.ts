import type { ColumnTypes } from './column-types.ts'

/**
 * An execution holds its calls in its own row. Those of earlier releases stay in a table that is not written any more. On
 * PostgreSQL the id alone is the key: a second one was one more index on every write.
 */
export function callsInRow({ text, strict }: ColumnTypes): string[] {
  const isPostgres = strict === ''
  const column = `alter table executions add column calls ${text}`
  if (!isPostgres) return [column]
  return [
    column,
    'alter table executions drop constraint executions_pkey',
    'alter table executions replica identity using index executions_execution_id_key',
  ]
}
