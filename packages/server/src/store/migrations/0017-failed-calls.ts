import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, MigrationStep } from './column-types.ts'

const ROWS = 500

/** An execution counts its calls that failed, so that a list finds those that have any. Few have: their index is small. */
export function failedCalls({ bigint }: ColumnTypes): MigrationStep[] {
  return [
    `alter table executions add column failed_calls ${bigint} not null default 0`,
    `update executions set failed_calls = (select count(*) from capability_calls
        where capability_calls.owner_id = executions.owner_id
          and capability_calls.execution_id = executions.execution_id and capability_calls.status = 'failed')
      where calls is null and call_count > 0 and status <> 'running'`,
    countInRows,
    `create index executions_by_failed_calls on executions (owner_id, started_at desc, execution_id desc)
      where failed_calls > 0`,
  ]
}

// Counted here: PostgreSQL refuses to look into JSON that holds an escaped NUL.
async function countInRows(db: Kysely<unknown>): Promise<void> {
  let after = ''
  for (;;) {
    const { rows } = await sql<{ execution_id: string; calls: string }>`select execution_id, calls from executions
      where execution_id > ${after} and status <> 'running' and calls like ${'%"status":"failed"%'}
      order by execution_id limit ${ROWS}`.execute(db)
    for (const { execution_id, calls } of rows) {
      const all: { status: string }[] = JSON.parse(`[${calls}]`)
      const failed = all.filter(({ status }) => status === 'failed').length
      await sql`update executions set failed_calls = ${failed} where execution_id = ${execution_id}`.execute(db)
    }
    const last = rows.at(-1)
    if (!last) return
    after = last.execution_id
  }
}
