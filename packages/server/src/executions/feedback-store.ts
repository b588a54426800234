import type { Feedback } from '@svc/contract'
import type { Kysely } from 'kysely'
import type { Schema } from '../store/schema.ts'

interface Rated {
  ownerId: string
  runtimeId: string
  executionId: string
}

/** Stores what the end user thought of an execution that has ended. False where there is none. */
export async function putFeedback(db: Kysely<Schema>, rated: Rated, feedback: Feedback | null): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('executions')
    .set({ feedback })
    .where('owner_id', '=', rated.ownerId)
    .where('execution_id', '=', rated.executionId)
    .where('runtime_id', '=', rated.runtimeId)
    .where('status', '<>', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
