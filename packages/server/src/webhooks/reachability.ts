import type { CoreDeps } from '../lib/core-deps.ts'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import { inTransaction } from '../store/transaction.ts'
import { addEvents } from './outbox-store.ts'

interface HeardOf {
  ownerId: string
  runtimeId: string
  endpoint: string
  isReachable: boolean
}

/**
 * Notes that a runtime's present endpoint answered, or that it cannot be reached any more. The first replica that notes a
 * change tells it: an endpoint that changes for one replica alone is told by that one.
 */
export async function noteReachability(
  { db, clock, newId }: Pick<CoreDeps, 'db' | 'clock' | 'newId'>,
  { ownerId, runtimeId, endpoint, isReachable }: HeardOf,
): Promise<void> {
  const at = clock.now()
  const present = matching('runtimes', { owner_id: ownerId, runtime_id: runtimeId, endpoint })
  const known = await firstRow(db.selectFrom('runtimes').select('unreachable_since').where(present))
  if (!known || (known.unreachable_since === null) === isReachable) return
  await inTransaction(db, async (tx) => {
    const changing = tx
      .updateTable('runtimes')
      .set({ unreachable_since: isReachable ? null : at })
      .where(present)
    if (!(await hasEffect(changing.where('unreachable_since', isReachable ? 'is not' : 'is', null)))) return
    const since = known.unreachable_since
    const type = isReachable ? 'endpoint.recovered' : 'endpoint.unreachable'
    const data = isReachable && since !== null ? { unreachableForMs: at - since } : {}
    await addEvents(tx, () => newId('delivery'), [{ ownerId, runtimeId, type, data, at }])
  })
}
