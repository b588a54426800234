import type { AccountDeps } from '../accounts/deps.ts'
import { eachOwner } from '../executions/retention-store.ts'
import { recountStoredBytes } from '../usage/recount-store.ts'

/** Recomputes how much every account stores, beside a running server or without one. */
export async function recount({ db }: Pick<AccountDeps, 'db'>): Promise<object> {
  const sum = { accounts: 0, corrected: 0, bytes: 0 }
  for await (const { ownerId } of eachOwner(db)) {
    const counted = await recountStoredBytes(db, ownerId)
    if (!counted) continue
    sum.accounts += 1
    sum.corrected += counted.before === counted.counted ? 0 : 1
    sum.bytes += counted.counted
  }
  return sum
}
