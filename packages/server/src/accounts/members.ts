import type * as contract from '@svc/contract'
import { forbidden, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { Caller, LiveSession } from './caller.ts'
import type { AccountDeps } from './deps.ts'
import { actorOf, REFUSED_ACTORS, requireAgain } from './given-again.ts'
import * as store from './member-store.ts'

export async function membersOf({ db }: AccountDeps, caller: Caller): Promise<contract.MemberList> {
  const members = await store.listMembers(db, caller.owner.ownerId)
  return { members: members.map((member) => toMember(member, caller)) }
}

type OfMember<Request> = Request & { memberId: string }

/**
 * Gives a member another role, at once. Throws 403 where the account would have no owner, and 400 where the password is
 * missing that the change of an owner needs.
 */
export async function changeMember(
  deps: AccountDeps,
  session: LiveSession,
  { memberId, role, ...given }: OfMember<contract.ChangeMemberRequest>,
): Promise<contract.Member> {
  const by = await actorOf(deps, session, given)
  const { ownerId } = by
  const changed = await store.changeRole(deps.db, { ownerId, memberId, role, by })
  if (typeof changed === 'string') throw REFUSALS[changed]()
  deps.logger.info({ ownerId, memberId, role, by: by.memberId }, 'a member has another role')
  return toMember(changed, session)
}

/**
 * Removes a member: their sessions and the keys of their `svc login` end at once, on every replica. Throws 400 where the
 * password is missing that the removal of an owner needs.
 */
export async function removeMember(
  deps: AccountDeps,
  session: LiveSession,
  { memberId, ...given }: OfMember<contract.RemoveMemberRequest>,
): Promise<contract.RemovedMember> {
  return remove(deps, session, memberId, await actorOf(deps, session, given))
}

/** Removes the member of a session. Throws 400 where their password or their code is wrong. */
export async function leaveAccount(
  deps: AccountDeps,
  session: LiveSession,
  given: contract.LeaveRequest,
): Promise<contract.RemovedMember> {
  await requireAgain(deps, session.member, { ...given, isUsedUp: false })
  return remove(deps, session, session.member.memberId, null)
}

async function remove(deps: AccountDeps, { member }: LiveSession, memberId: string, by: store.Actor | null) {
  const { ownerId } = member
  const removed = await store.removeMember(deps.db, { ownerId, memberId, now: deps.clock.now(), by })
  if (removed !== 'removed') throw REFUSALS[removed]()
  deps.logger.info({ ownerId, memberId, by: member.memberId }, 'a member was removed')
  return { memberId }
}

const REFUSALS = {
  ...REFUSED_ACTORS,
  absent: () => notFound('The member'),
  'last owner': () => forbidden('This is the last owner of the account. Make somebody else owner first.'),
}

function toMember(row: store.MemberRow, { member }: Caller): contract.Member {
  const { memberId, email, role, joinedAt } = row
  return { memberId, email, role, joinedAt: isoTime(joinedAt), isSelf: memberId === member?.memberId }
}
