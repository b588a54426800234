import { readCalls } from '../../src/executions/call-rules.ts'
import type { Database } from '../../src/store/database.ts'

/** The calls that executions hold in their rows. */
export async function storedCalls({ db }: Database) {
  const rows = await db.selectFrom('executions').select(['owner_id', 'execution_id', 'calls']).execute()
  return rows.flatMap(({ owner_id: ownerId, calls }) => readCalls(calls).map((call) => ({ ...call, ownerId })))
}
