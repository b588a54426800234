import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'
import { type Attempt, type Attempted, attempt } from './rules.ts'

/**
 * Draws one unit from the bucket of every subject, or none from any. Exact under any number at once on any number of
 * replicas: the rows are made, or locked, before they are looked at.
 */
export async function drawAttempts(db: Kysely<Schema>, attempts: readonly Attempt[], now: number): Promise<Attempted> {
  // In one order for everybody, so that no two transactions wait for each other.
  const subjects = attempts.map(({ subject }) => subject).sort()
  return inTransaction(db, async (tx) => {
    const rows = await tx
      .insertInto('throttles')
      .values(subjects.map((subject) => ({ subject, full_at: 0 })))
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((eb) => ({ full_at: eb.ref('throttles.full_at') })),
      )
      .returning(['subject', 'full_at'])
      .execute()
    const outcome = attempt(attempts, new Map(rows.map((row) => [row.subject, row.full_at])), now)
    for (const [subject, fullAt] of outcome.fullAt) {
      await tx.updateTable('throttles').set({ full_at: fullAt }).where('subject', '=', subject).execute()
    }
    return outcome
  })
}

/** Removes the buckets that are full: they are as good as none. */
export async function deleteFullThrottles(db: Kysely<Schema>, now: number): Promise<void> {
  await inTransaction(db, (tx) => tx.deleteFrom('throttles').where('full_at', '<=', now).execute())
}
