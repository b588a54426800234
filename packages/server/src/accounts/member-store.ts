import type { Role } from '@svc/contract'
import type { Selectable } from 'kysely'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'

/** A person of an account. */
export interface Member {
  memberId: string
  ownerId: string
  email: string
  role: Role
}

export type MemberRow = Member & { joinedAt: number }

type MemberKey = Pick<Member, 'ownerId' | 'memberId'>

/** Who changes the members of their account, and the version of the password that they gave again; null where they gave none. */
export interface Actor extends MemberKey {
  passwordVersion: number | null
}

/** How the store answers a change that would leave an account without an owner, or that finds no such member. */
type Refusal = 'absent' | 'last owner' | RefusedActor
type RefusedActor = 'not owner' | 'unconfirmed'

type StoredMember = Pick<Selectable<Schema['members']>, 'member_id' | 'owner_id' | 'email' | 'role'>

export function toMember(row: StoredMember): Member {
  return { memberId: row.member_id, ownerId: row.owner_id, email: row.email, role: row.role }
}

/** The member of an address, in lower case, or null. */
export async function findMember(db: Db, email: string): Promise<Member | null> {
  const row = await firstRow(db.selectFrom('members').selectAll().where('email', '=', email))
  return row && toMember(row)
}

/** The members of an account, the first to join first. */
export async function listMembers(db: Db, ownerId: string): Promise<MemberRow[]> {
  const rows = await membersOf(db, ownerId).execute()
  return rows.map((row) => ({ ...toMember(row), joinedAt: row.joined_at }))
}

/** Adds a member; false where the address, in lower case, belongs to one of any account already. */
export function insertMember(tx: Tx, { memberId, ownerId, email, role, joinedAt }: MemberRow): Promise<boolean> {
  const row = { member_id: memberId, owner_id: ownerId, email, role, joined_at: joinedAt }
  const inserting = tx.insertInto('members').values(row)
  return hasEffect(inserting.onConflict((conflict) => conflict.column('email').doNothing()))
}

export async function countMembers(tx: Tx, ownerId: string): Promise<number> {
  const members = tx.selectFrom('members').select((eb) => eb.fn.countAll<number>().as('count'))
  return Number((await members.where('owner_id', '=', ownerId).executeTakeFirstOrThrow()).count)
}

/** Gives a member another role, which every request has from then on. `by` is null for the operator. */
export function changeRole(
  db: Db,
  { role, by, ...which }: MemberKey & { role: Role; by: Actor | null },
): Promise<MemberRow | Refusal> {
  const { memberId } = which
  return inTransaction(db, async (tx) => {
    const found = await findToChange(tx, which)
    if (typeof found === 'string') return found
    const { member, isLastOwner } = found
    const refused = by && (await refusedActor(tx, by, { isAboutOwner: isOwner(member) || role === 'owner' }))
    if (refused) return refused
    if (isLastOwner && role !== 'owner') return 'last owner'
    await tx.updateTable('members').set({ role }).where('member_id', '=', memberId).execute()
    if (isOwner(member) && role !== 'owner') await endOwner(tx, member)
    return { ...member, role }
  })
}

/**
 * Removes a member with all that was theirs: sessions, password, second factor, and the keys of `svc login`. `by` is null for
 * themselves.
 */
export function removeMember(
  db: Db,
  { now, by, ...which }: MemberKey & { now: number; by: Actor | null },
): Promise<'removed' | Refusal> {
  const { memberId } = which
  return inTransaction(db, async (tx) => {
    const found = await findToChange(tx, which)
    if (typeof found === 'string') return found
    const { member } = found
    const refused = by && (await refusedActor(tx, by, { isAboutOwner: isOwner(member) }))
    if (refused) return refused
    if (found.isLastOwner) return 'last owner'
    for (const table of OWN_TABLES) await tx.deleteFrom(table).where('member_id', '=', memberId).execute()
    await revokeKeysOf(tx, { ...member, role: 'viewer' }, now)
    await tx.deleteFrom('members').where('member_id', '=', memberId).execute()
    if (isOwner(member)) await endOwner(tx, member)
    return 'removed'
  })
}

/** Whether somebody may change members now; null where they may. Under the lock of the account. */
export async function refusedActor(
  tx: Tx,
  { ownerId, memberId, passwordVersion }: Actor,
  { isAboutOwner }: { isAboutOwner: boolean },
): Promise<RefusedActor | null> {
  const own = matching('members', { owner_id: ownerId, member_id: memberId })
  const actor = await firstRow(tx.selectFrom('members').select(['role', 'password_version']).where(own))
  if (actor?.role !== 'owner') return 'not owner'
  return isAboutOwner && actor.password_version !== passwordVersion ? 'unconfirmed' : null
}

/**
 * Ends the keys of a member's `svc login` and, where they are an owner, all of the account, with what could become a key or
 * a member: logins of devices that were confirmed, and invitations.
 */
export async function revokeKeysOf(tx: Tx, { ownerId, memberId, role }: Member, now: number): Promise<void> {
  const whose = role === 'owner' ? {} : { member_id: memberId }
  const ended = matching('credentials', { owner_id: ownerId, kind: 'account', revoked_at: null, ...whose })
  await tx.updateTable('credentials').set({ revoked_at: now }).where(ended).execute()
  if (role !== 'owner') return
  await tx.deleteFrom('device_logins').where('owner_id', '=', ownerId).execute()
  await endInvitations(tx, ownerId)
}

const OWN_TABLES = [
  ...(['auth_sessions', 'device_logins', 'password_resets', 'second_factors'] as const),
  ...(['recovery_codes', 'known_networks'] as const),
]

// The lock keeps two changes at once from each leaving the other’s owner as the last.
async function findToChange(tx: Tx, { ownerId, memberId }: MemberKey) {
  await lockOwner(tx, ownerId)
  const members = await listMembers(tx, ownerId)
  const member = members.find((each) => each.memberId === memberId)
  if (!member) return 'absent'
  const owners = members.filter(({ role }) => role === 'owner')
  return { member, isLastOwner: member.role === 'owner' && owners.length === 1 }
}

const isOwner = ({ role }: Member) => role === 'owner'

async function endOwner(tx: Tx, { ownerId, email }: Member): Promise<void> {
  // An owner’s invitations do not outlast their role, and nothing says which those are.
  await endInvitations(tx, ownerId)
  // The address of an account is that of one of its owners: the one who is owner for longest after this member.
  const heir = await membersOf(tx, ownerId).where('role', '=', 'owner').limit(1).executeTakeFirstOrThrow()
  const account = matching('owners', { owner_id: ownerId, email })
  await tx.updateTable('owners').set({ email: heir.email }).where(account).execute()
}

async function endInvitations(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('invitations').where('owner_id', '=', ownerId).execute()
}

function membersOf(db: Db, ownerId: string) {
  return db.selectFrom('members').selectAll().where('owner_id', '=', ownerId).orderBy('joined_at').orderBy('member_id')
}
