import type * as contract from '@svc/contract'
import { forbidden, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { Caller } from './accounts.ts'
import * as store from './member-store.ts'

type Deps = Pick<CoreDeps, 'db' | 'clock' | 'logger'>

/** The members of the account, the first to join first. */
export async function membersOf({ db }: Pick<CoreDeps, 'db'>, caller: Caller): Promise<contract.MemberList> {
  const members = await store.listMembers(db, caller.owner.ownerId)
  return { members: members.map((member) => toMember(member, caller)) }
}

/** Gives a member another role, at once. Throws 403 where the account would have no owner. */
export async function changeMember(
  { db, logger }: Deps,
  caller: Caller,
  { memberId, role }: { memberId: string; role: contract.Role },
): Promise<contract.Member> {
  const { ownerId } = caller.owner
  const changed = await store.changeRole(db, ownerId, { memberId, role })
  if (changed === 'absent') throw notFound('The member')
  if (changed === 'last owner') throw forbidden(LAST_OWNER)
  logger.info({ ownerId, memberId, role, by: caller.member?.memberId }, 'a member has another role')
  return toMember(changed, caller)
}

/** Removes a member: their sessions and the keys of their `svc login` end at once, on every replica. */
export async function removeMember(
  { db, clock, logger }: Deps,
  { owner: { ownerId }, member }: Caller,
  memberId: string,
): Promise<contract.RemovedMember> {
  const removed = await store.removeMember(db, ownerId, { memberId, now: clock.now() })
  if (removed === 'absent') throw notFound('The member')
  if (removed === 'last owner') throw forbidden(LAST_OWNER)
  logger.info({ ownerId, memberId, by: member?.memberId }, 'a member was removed')
  return { memberId }
}

const LAST_OWNER = 'This is the last owner of the account. Make somebody else owner first.'

function toMember({ memberId, email, role, joinedAt }: store.MemberRow, { member }: Caller): contract.Member {
  return { memberId, email, role, joinedAt: isoTime(joinedAt), isSelf: memberId === member?.memberId }
}
