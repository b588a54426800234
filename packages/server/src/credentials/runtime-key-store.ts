import type { RuntimeKeyType } from '@svc/contract'
import { updateRuntime } from '../runtimes/store.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import type { AccountEvent } from '../webhooks/rules.ts'
import { insertCredential, type NewCredential } from './store.ts'

/** Names the deploy key or the public key of a runtime. */
export interface KeyPlace {
  owner_id: string
  runtime_id: string
  kind: RuntimeKeyType
}

interface KeyReplacement {
  next: NewCredential
  now: number
  previousEndsAt: number
  newEventId: () => string
}

/** What a webhook is told of a runtime's key. */
export function keyEvent(
  type: 'key.revealed' | 'key.rotated',
  { owner_id: ownerId, runtime_id: runtimeId, kind }: KeyPlace,
  { prefix, at }: { prefix: string; at: number },
): AccountEvent {
  return { ownerId, runtimeId, type, data: { keyType: kind, prefix }, at }
}

/** The key that was neither replaced nor revoked, if any. */
export function findCurrentKey(db: Db, place: KeyPlace) {
  return db
    .selectFrom('credentials')
    .select(['credential_id', 'sealed', 'prefix'])
    .where((eb) => eb.and({ ...place }))
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Replaces the current key, which works until `previousEndsAt`; the key before it is deleted. Null where the owner has no
 * such runtime. Concurrent calls leave one current key.
 */
export function replaceKey(
  db: Db,
  place: KeyPlace,
  { next, now, previousEndsAt, newEventId }: KeyReplacement,
): Promise<{ hadCurrent: boolean } | null> {
  return inTransaction(db, async (tx) => {
    // First, because it locks the runtime's row: rotations and revocations of one runtime come one after another.
    if (!(await updateRuntime(tx, place.owner_id, { runtimeId: place.runtime_id, now }))) return null
    await tx
      .deleteFrom('credentials')
      .where((eb) => eb.and({ ...place }))
      .where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('expires_at', 'is not', null)]))
      .execute()
    // Without a grace it is revoked besides, because the clock of another replica may be behind.
    const replaced = await tx
      .updateTable('credentials')
      .set({ expires_at: previousEndsAt, revoked_at: previousEndsAt > now ? null : now, sealed: null })
      .where((eb) => eb.and({ ...place }))
      .returning('credential_id')
      .execute()
    await insertCredential(tx, next)
    await addEvents(tx, newEventId, [keyEvent('key.rotated', place, { prefix: next.prefix, at: now })])
    return { hadCurrent: replaced.length > 0 }
  })
}

/** Revokes the current and the previous key. Returns the time of the last revocation; null where there is no such runtime. */
export function revokeKeys(db: Db, place: KeyPlace, now: number): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    if (!(await updateRuntime(tx, place.owner_id, { runtimeId: place.runtime_id, now }))) return null
    await tx
      .updateTable('credentials')
      .set({ revoked_at: now, sealed: null })
      .where((eb) => eb.and({ ...place }))
      .where('revoked_at', 'is', null)
      .execute()
    const last = await tx
      .selectFrom('credentials')
      .select((eb) => eb.fn.max('revoked_at').as('revoked_at'))
      .where((eb) => eb.and({ ...place }))
      .executeTakeFirst()
    return last?.revoked_at ?? now
  })
}
