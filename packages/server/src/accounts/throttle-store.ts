import type { Db } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'

/**
 * Locks the token buckets of these subjects, creating them where needed, and stores what `change` makes of them: the time
 * at which each is full again, by subject. Returns what `change` returns, which may be called again after a conflict.
 */
export async function updateBuckets<T>(
  db: Db,
  subjects: readonly string[],
  change: (fullAt: Map<string, number>) => T,
): Promise<T> {
  // Sorted, so that no two transactions wait for each other.
  const rows = [...subjects].sort().map((subject) => ({ subject, full_at: 0 }))
  return inTransaction(db, async (tx) => {
    const stored = await tx
      .insertInto('throttles')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((eb) => ({ full_at: eb.ref('throttles.full_at') })),
      )
      .returning(['subject', 'full_at'])
      .execute()
    const buckets = new Map(stored.map((row) => [row.subject, row.full_at]))
    const answer = change(buckets)
    for (const { subject, full_at } of stored) {
      const next = buckets.get(subject) ?? full_at
      if (next === full_at) continue
      await tx.updateTable('throttles').set({ full_at: next }).where('subject', '=', subject).execute()
    }
    return answer
  })
}
