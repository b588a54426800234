import type { Role } from '@svc/contract'
import type { Selectable } from 'kysely'
import { type PageRequest, pageBy } from '../store/page.ts'
import { firstRow, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { lockOwner, type Tx } from '../store/transaction.ts'
import { MAX_ACCOUNT_KEYS, MAX_MEMBER_KEYS } from './rules.ts'
import { insertCredential, type NewCredential } from './store.ts'

const SHOWN = ['credential_id', 'name', 'prefix', 'role', 'created_at', 'last_used_at', 'revoked_at'] as const

export interface AccountKeyRow extends Pick<Selectable<Schema['credentials']>, (typeof SHOWN)[number]> {
  /** Of the member whose key it is. */
  email: string | null
  own_role: Role | null
}

/** Whose keys are meant: all of the account, or those of one member, or the one of a request. */
export interface KeyScope {
  ownerId: string
  only: { memberId: string } | { keyId: string } | null
}

/** A page of these keys, newest first, the revoked ones included, and the row after it. */
export function listAccountKeys(db: Db, scope: KeyScope, page: PageRequest): Promise<AccountKeyRow[]> {
  return shownKeys(db, scope)
    .$call(pageBy('created_at', 'credential_id', page))
    .execute()
}

/** Revokes an account key; one that is revoked already stays as it is. Null where there is no such key in the scope. */
export async function revokeKey(db: Db, scope: KeyScope, keyId: string, now: number): Promise<AccountKeyRow | null> {
  const found = await firstRow(shownKeys(db, scope).where('credential_id', '=', keyId))
  if (!found) return null
  const key = matching('credentials', { owner_id: scope.ownerId, credential_id: keyId, kind: 'account' })
  const revoking = db
    .updateTable('credentials')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
  const { revoked_at } = await revoking.where(key).returning('revoked_at').executeTakeFirstOrThrow()
  return { ...found, revoked_at }
}

function shownKeys(db: Db, { ownerId, only }: KeyScope) {
  const shown = keysOf(db, ownerId)
    .select(SHOWN)
    .select((eb) => {
      const member = eb.selectFrom('members').whereRef('members.member_id', '=', 'credentials.member_id')
      return [member.select('members.email').as('email'), member.select('members.role').as('own_role')]
    })
  if (only === null) return shown
  const own = 'memberId' in only ? { member_id: only.memberId } : { credential_id: only.keyId }
  return shown.where(matching('credentials', own))
}

/** Who asks for a key of the account: a member by their session, or a key. */
export type KeyMaker = { memberId: string } | { keyId: string }

/**
 * Adds a key to an account, unless it, or the member whose key it is, has as many as they may, or `by` is no owner any more. The
 * lock keeps concurrent requests below the limit. {@link MAX_ACCOUNT_KEYS} revoked keys are kept for the listing.
 */
export async function addAccountKey(
  tx: Tx,
  key: NewCredential,
  by: KeyMaker | null = null,
): Promise<'added' | 'full' | 'not owner'> {
  await lockOwner(tx, key.owner_id)
  if (by && (await roleOf(tx, key.owner_id, by)) !== 'owner') return 'not owner'
  const { owner_id, member_id = null } = key
  const most = member_id === null ? MAX_ACCOUNT_KEYS : MAX_MEMBER_KEYS
  const working = keysOf(tx, owner_id).select('credential_id').where('revoked_at', 'is', null)
  const alike = await working.where(matching('credentials', { member_id })).limit(most).execute()
  if (alike.length >= most) return 'full'
  const revoked = keysOf(tx, owner_id).select('credential_id').where('revoked_at', 'is not', null)
  const kept = revoked.orderBy('revoked_at', 'desc').orderBy('credential_id', 'desc').limit(MAX_ACCOUNT_KEYS)
  const surplus = tx
    .deleteFrom('credentials')
    .where('revoked_at', 'is not', null)
    .where('credential_id', 'not in', kept)
  await surplus.where(matching('credentials', { owner_id, kind: 'account' })).execute()
  await insertCredential(tx, key)
  return 'added'
}

/** The role of now; undefined where the member is gone, or the key revoked. */
async function roleOf(tx: Tx, ownerId: string, by: KeyMaker): Promise<Role | null | undefined> {
  if ('memberId' in by) {
    const own = matching('members', { owner_id: ownerId, member_id: by.memberId })
    return (await firstRow(tx.selectFrom('members').select('role').where(own)))?.role
  }
  const key = await firstRow(shownKeys(tx, { ownerId, only: by }).where('revoked_at', 'is', null))
  return key?.own_role ?? key?.role
}

function keysOf(db: Db, owner_id: string) {
  return db.selectFrom('credentials').where(matching('credentials', { owner_id, kind: 'account' }))
}
