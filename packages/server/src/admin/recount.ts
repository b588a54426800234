import { listOwnerIds } from '../accounts/store.ts'
import type { Deps } from '../deps.ts'
import { recountStoredBytes } from '../usage/recount-store.ts'
import type { AdminResult } from './admin-result.ts'

const OWNERS_PER_LOOK = 200

/** Counts anew what every account has stored, beside a running server or without one. */
export async function recount({ db }: Pick<Deps, 'db'>): Promise<AdminResult> {
  const sum = { accounts: 0, corrected: 0, bytes: 0 }
  for (let after = ''; ; ) {
    const ownerIds = await listOwnerIds(db, { after, limit: OWNERS_PER_LOOK })
    for (const ownerId of ownerIds) {
      const counted = await recountStoredBytes(db, ownerId)
      if (!counted) continue
      sum.accounts += 1
      sum.corrected += counted.before === counted.counted ? 0 : 1
      sum.bytes += counted.counted
    }
    const last = ownerIds.at(-1)
    if (last === undefined || ownerIds.length < OWNERS_PER_LOOK) break
    after = last
  }
  return { ok: true, text: JSON.stringify(sum) }
}
