import type { Selectable } from 'kysely'
import { type PageRequest, pageBy } from '../store/page.ts'
import type { Db, Schema } from '../store/schema.ts'
import { lockOwner, type Tx } from '../store/transaction.ts'
import { MAX_ACCOUNT_KEYS } from './rules.ts'
import { insertCredential, type NewCredential } from './store.ts'

const SHOWN = ['credential_id', 'name', 'prefix', 'created_at', 'last_used_at', 'revoked_at'] as const

export type AccountKeyRow = Pick<Selectable<Schema['credentials']>, (typeof SHOWN)[number]>

/** A page of this owner's account keys, newest first, the revoked ones included, and the row after it. */
export function listAccountKeys(db: Db, ownerId: string, page: PageRequest): Promise<AccountKeyRow[]> {
  return keysOf(db, ownerId)
    .select(SHOWN)
    .$call(pageBy('created_at', 'credential_id', page))
    .execute()
}

/** Revokes an account key; one that is revoked already stays as it is. Null where this owner has no such key. */
export async function revokeOwnKey(
  db: Db,
  ownerId: string,
  { keyId, now }: { keyId: string; now: number },
): Promise<AccountKeyRow | null> {
  const row = await db
    .updateTable('credentials')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where((eb) => eb.and({ owner_id: ownerId, credential_id: keyId, kind: 'account' }))
    .returning(SHOWN)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Adds a key to an account; false where it has {@link MAX_ACCOUNT_KEYS}. The lock keeps concurrent requests below the
 * limit. As many revoked keys are kept for the listing.
 */
export async function addAccountKey(tx: Tx, key: NewCredential): Promise<boolean> {
  await lockOwner(tx, key.owner_id)
  const { count } = await keysOf(tx, key.owner_id)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (count >= MAX_ACCOUNT_KEYS) return false
  const kept = keysOf(tx, key.owner_id)
    .select('credential_id')
    .where('revoked_at', 'is not', null)
    .orderBy('revoked_at', 'desc')
    .orderBy('credential_id', 'desc')
    .limit(MAX_ACCOUNT_KEYS)
  await tx
    .deleteFrom('credentials')
    .where((eb) => eb.and({ owner_id: key.owner_id, kind: 'account' }))
    .where('revoked_at', 'is not', null)
    .where('credential_id', 'not in', kept)
    .execute()
  await insertCredential(tx, key)
  return true
}

function keysOf(db: Db, ownerId: string) {
  return db.selectFrom('credentials').where('owner_id', '=', ownerId).where('kind', '=', 'account')
}
