import type { RuntimeKeyType } from '@svc/contract'
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'
import { moveRevision } from '../runtimes/store.ts'
import type { NewCredential } from './store.ts'

/** One of the two keys of a runtime. */
export interface KeyPlace {
  runtimeId: string
  type: RuntimeKeyType
}

export interface CurrentKey {
  credentialId: string
  /** Null for a key that is kept as a hash only. */
  sealed: string | null
  prefix: string
}

/** The key that was neither replaced nor revoked, or null when there is none. */
export async function findCurrentKey(
  db: Kysely<Schema>,
  ownerId: string,
  { runtimeId, type }: KeyPlace,
): Promise<CurrentKey | null> {
  const row = await db
    .selectFrom('credentials')
    .select(['credential_id', 'sealed', 'prefix'])
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .where('kind', '=', type)
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .executeTakeFirst()
  return row ? { credentialId: row.credential_id, sealed: row.sealed, prefix: row.prefix } : null
}

/**
 * Puts a key in the place of the current one, which works until `previousEndsAt` and, where that is `now`, no more.
 * Whatever came before it ends at once. Null when the runtime is not this owner's; any number at once leave one current key.
 */
export async function replaceKey(
  db: Kysely<Schema>,
  ownerId: string,
  { place, next, now, previousEndsAt }: { place: KeyPlace; next: NewCredential; now: number; previousEndsAt: number },
): Promise<{ hadCurrent: boolean } | null> {
  return inTransaction(db, async (tx) => {
    // First, because it locks the runtime's row: rotations and revocations of one runtime come one after another.
    if (!(await moveRevision(tx, ownerId, { runtimeId: place.runtimeId, now }))) return null
    await tx
      .deleteFrom('credentials')
      .where('owner_id', '=', ownerId)
      .where('runtime_id', '=', place.runtimeId)
      .where('kind', '=', place.type)
      .where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('expires_at', 'is not', null)]))
      .execute()
    // Revoked where it ends now: another replica's clock may be behind. Only a current key is ever revealed.
    const replaced = await tx
      .updateTable('credentials')
      .set({ expires_at: previousEndsAt, revoked_at: previousEndsAt > now ? null : now, sealed: null })
      .where('owner_id', '=', ownerId)
      .where('runtime_id', '=', place.runtimeId)
      .where('kind', '=', place.type)
      .returning('credential_id')
      .execute()
    await tx.insertInto('credentials').values(next).execute()
    return { hadCurrent: replaced.length > 0 }
  })
}

/**
 * Ends the current and the previous key at once. Answers when they ended, which for keys that had ended before is then;
 * null when the runtime is not this owner's.
 */
export async function revokeKeys(
  db: Kysely<Schema>,
  ownerId: string,
  { place, now }: { place: KeyPlace; now: number },
): Promise<{ revokedAt: number } | null> {
  return inTransaction(db, async (tx) => {
    if (!(await moveRevision(tx, ownerId, { runtimeId: place.runtimeId, now }))) return null
    await tx
      .updateTable('credentials')
      .set({ revoked_at: now, sealed: null })
      .where('owner_id', '=', ownerId)
      .where('runtime_id', '=', place.runtimeId)
      .where('kind', '=', place.type)
      .where('revoked_at', 'is', null)
      .execute()
    const last = await tx
      .selectFrom('credentials')
      .select((eb) => eb.fn.max('revoked_at').as('revoked_at'))
      .where('owner_id', '=', ownerId)
      .where('runtime_id', '=', place.runtimeId)
      .where('kind', '=', place.type)
      .executeTakeFirst()
    return { revokedAt: last?.revoked_at ?? now }
  })
}
