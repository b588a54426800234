import type { Insertable, Selectable } from 'kysely'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { type Actor, countMembers, insertMember, type MemberRow, refusedActor } from './member-store.ts'
import { setNewPassword } from './password-store.ts'
import { MAX_INVITATIONS, MAX_MEMBERS } from './rules.ts'

export type InvitationRow = Selectable<Schema['invitations']>

/** Stores an invitation, in place of an earlier one of its address in this account. */
export function putInvitation(
  db: Db,
  invitation: Insertable<Schema['invitations']>,
  { by, now }: { by: Actor; now: number },
): Promise<'stored' | 'is member' | 'members full' | 'invitations full' | 'not owner' | 'unconfirmed'> {
  const { owner_id, email, role } = invitation
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, owner_id)
    const refused = await refusedActor(tx, by, { isAboutOwner: role === 'owner' })
    if (refused) return refused
    const own = tx.selectFrom('members').select('member_id').where(matching('members', { owner_id, email }))
    if (await firstRow(own)) return 'is member'
    if ((await countMembers(tx, owner_id)) >= MAX_MEMBERS) return 'members full'
    const replaced = tx.deleteFrom('invitations').where('owner_id', '=', owner_id)
    await replaced.where((eb) => eb.or([eb('email', '=', email), eb('expires_at', '<=', now)])).execute()
    if ((await listInvitations(tx, owner_id, now)).length >= MAX_INVITATIONS) return 'invitations full'
    await tx.insertInto('invitations').values(invitation).execute()
    return 'stored'
  })
}

/** The open invitations of an account, newest first. */
export function listInvitations(db: Db, ownerId: string, now: number): Promise<InvitationRow[]> {
  const newestFirst = openInvitations(db, now).orderBy('created_at', 'desc').orderBy('invitation_id', 'desc')
  return newestFirst.where('owner_id', '=', ownerId).limit(MAX_INVITATIONS).execute()
}

/** Deletes an invitation of this account; false where it has none of this id. */
export function deleteInvitation(db: Db, owner_id: string, invitation_id: string): Promise<boolean> {
  return hasEffect(db.deleteFrom('invitations').where(matching('invitations', { owner_id, invitation_id })))
}

/** The open invitation whose link has one of these hashes, with the address of its account; null where there is none. */
export function findInvitation(db: Db, hashes: readonly string[], now: number) {
  const open = openInvitations(db, now).innerJoin('owners', 'owners.owner_id', 'invitations.owner_id')
  const found = open.select('owners.email as account').where('owners.deleted_at', 'is', null)
  return firstRow(found.where('token_hash', 'in', hashes))
}

interface Acceptance {
  invitation: InvitationRow
  memberId: string
  passwordHash: string
  now: number
}

type Accepted = { outcome: 'joined'; member: MemberRow; version: number }

/** Makes the invited person a member, once. Nothing is changed by any other outcome. */
export function acceptInvitation(
  db: Db,
  { invitation, memberId, passwordHash, now }: Acceptance,
): Promise<Accepted | { outcome: 'gone' | 'full' | 'taken' }> {
  const { owner_id: ownerId, invitation_id, token_hash } = invitation
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, ownerId)
    // The role of now: the invitation may have been replaced since it was read, and its link with it.
    const same = openInvitations(tx, now).where(matching('invitations', { invitation_id, token_hash }))
    const open = await firstRow(same)
    if (!open) return { outcome: 'gone' }
    if ((await countMembers(tx, ownerId)) >= MAX_MEMBERS) return { outcome: 'full' }
    const member = { memberId, ownerId, email: open.email, role: open.role, joinedAt: now }
    if (!(await insertMember(tx, member))) return { outcome: 'taken' }
    await tx.deleteFrom('invitations').where('invitation_id', '=', invitation_id).execute()
    const version = await setNewPassword(tx, memberId, passwordHash)
    return { outcome: 'joined', member, version }
  })
}

function openInvitations(db: Db, now: number) {
  return db.selectFrom('invitations').selectAll('invitations').where('expires_at', '>', now)
}
