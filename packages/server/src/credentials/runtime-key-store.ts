import type { RuntimeKeyType } from '@svc/contract'
import { updateRuntime } from '../runtimes/store.ts'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
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
  const current = matching('credentials', { ...place, revoked_at: null, expires_at: null })
  return firstRow(db.selectFrom('credentials').select(['credential_id', 'sealed', 'prefix']).where(current))
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
    const earlier = tx.deleteFrom('credentials').where(matching('credentials', place))
    await earlier.where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('expires_at', 'is not', null)])).execute()
    // Without a grace it is revoked besides, because the clock of another replica may be behind.
    const ending = { expires_at: previousEndsAt, revoked_at: previousEndsAt > now ? null : now, sealed: null }
    const replacing = tx.updateTable('credentials').set(ending).where(matching('credentials', place))
    const hadCurrent = await hasEffect(replacing)
    await insertCredential(tx, next)
    await addEvents(tx, newEventId, [keyEvent('key.rotated', place, { prefix: next.prefix, at: now })])
    return { hadCurrent }
  })
}

/** Revokes the current and the previous key. Returns the time of the last revocation; null where there is no such runtime. */
export function revokeKeys(db: Db, place: KeyPlace, now: number): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    if (!(await updateRuntime(tx, place.owner_id, { runtimeId: place.runtime_id, now }))) return null
    const working = matching('credentials', { ...place, revoked_at: null })
    await tx.updateTable('credentials').set({ revoked_at: now, sealed: null }).where(working).execute()
    const keys = tx.selectFrom('credentials').where(matching('credentials', place))
    const last = await firstRow(keys.select((eb) => eb.fn.max('revoked_at').as('revoked_at')))
    return last?.revoked_at ?? now
  })
}
