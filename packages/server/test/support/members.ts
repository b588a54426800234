import { randomUUID } from 'node:crypto'
import type { Role } from '@svc/contract'
import type { Owner } from '../../src/accounts/accounts.ts'
import { putInvitation } from '../../src/accounts/invitation-store.ts'
import { findMember, type Member } from '../../src/accounts/member-store.ts'
import { PASSWORD, type TestService } from './service.ts'
import { begunSession } from './sign-in.ts'

/** The member whose address an account has. */
export async function firstMember({ deps }: TestService, { email }: Pick<Owner, 'email'>): Promise<Member> {
  const member = await findMember(deps.db, email)
  if (!member) throw new Error(`nobody has the address ${email}`)
  return member
}

/** Lets an invitation wait, and returns the token of its link. */
export async function letInvitationWait(
  { deps, clock }: TestService,
  { ownerId }: Owner,
  { email = `${randomUUID()}@example.com`, role, token = randomUUID() }: { email?: string; role: Role; token?: string },
): Promise<{ token: string; email: string; invitationId: string }> {
  const now = clock.now()
  const invitationId = deps.newId('invitation')
  const row = {
    ...{ invitation_id: invitationId, owner_id: ownerId, email, role },
    ...{ token_hash: deps.keyring.hash(`invitation:${token}`), created_at: now, expires_at: now + 60_000 },
  }
  const owners = deps.db.selectFrom('members').selectAll().where('owner_id', '=', ownerId).where('role', '=', 'owner')
  const { member_id: memberId, password_version: passwordVersion } = await owners.limit(1).executeTakeFirstOrThrow()
  const outcome = await putInvitation(deps.db, row, { by: { ownerId, memberId, passwordVersion }, now })
  if (outcome !== 'stored') throw new Error(`the invitation was not stored: ${outcome}`)
  return { token, email, invitationId }
}

export interface JoinedMember extends Member {
  session: string
}

/** Makes somebody a member of the account, with {@link PASSWORD} as password, and signs them in. */
export async function joinAs(service: TestService, owner: Owner, role: Role): Promise<JoinedMember> {
  const { token, email } = await letInvitationWait(service, owner, { role })
  const session = begunSession(await accept(service, token))
  return { ...(await firstMember(service, { email })), session: session.token }
}

/** Accepts an invitation. */
export function accept(service: TestService, token: string, password = PASSWORD) {
  return service.send('POST', '/v1/auth/invitation/accept', { body: { token, password } })
}
