import type { Feedback } from '@svc/contract'
import type { Db } from '../store/schema.ts'

interface Rated {
  ownerId: string
  runtimeId: string
  executionId: string
}

/** Stores what the end user thought of an execution that has ended. False where there is none. */
export async function putFeedback(db: Db, rated: Rated, feedback: Feedback | null): Promise<boolean> {
  const { ownerId: owner_id, executionId: execution_id, runtimeId: runtime_id } = rated
  const found = await db
    .selectFrom('executions')
    .select('feedback')
    .where((eb) => eb.and({ owner_id, execution_id, runtime_id }))
    .where('status', '<>', 'running')
    .executeTakeFirst()
  // A repeated value costs no write.
  if (!found || found.feedback === feedback) return found !== undefined
  const own = db.updateTable('executions').set({ feedback })
  await own.where((eb) => eb.and({ owner_id, execution_id, runtime_id })).execute()
  return true
}
