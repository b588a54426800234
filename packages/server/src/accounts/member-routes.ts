import * as contract from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { callerOf, signedIn } from '../http/planes.ts'
import { clearSessionCookie } from '../http/session-cookie.ts'
import { typed } from '../http/typed.ts'
import type { LiveSession } from './caller.ts'
import type { AccountDeps } from './deps.ts'
import { invitationsOf, inviteMember, revokeInvitation } from './invitations.ts'
import { changeMember, leaveAccount, membersOf, removeMember } from './members.ts'

const ofMember = z.object({ memberId: z.string().describe('The id of a member, `mem_…`.') })
const ofInvitation = z.object({ invitationId: z.string().describe('The id of an invitation, `inv_…`.') })
const { ErrorBody } = contract

const describeRoute = describeRoutes('Members')
const LIST = describeRoute('listMembers', 'List the members, the first to join first', {
  response: { 200: contract.MemberList },
})
const CHANGE = describeRoute('changeMember', 'Give a member another role', {
  description:
    'With a session. Every request of theirs has it at once. An account keeps one owner. Making or demoting one needs the password, and ends all open invitations where an owner is demoted.',
  params: ofMember,
  body: contract.ChangeMemberRequest,
  response: { 200: contract.Member },
})
const REMOVE = describeRoute('removeMember', 'Remove a member', {
  description:
    'With a session. Their sessions and the keys of their `svc login` end at once. An account keeps one owner. Removing one needs the password, and ends all open invitations.',
  params: ofMember,
  body: contract.RemoveMemberRequest,
  response: { 200: contract.RemovedMember, 429: ErrorBody },
})
const LEAVE = describeRoute('leaveAccount', 'Leave the account', {
  description:
    'With a session and the password. One’s sessions and keys of `svc login` end at once. The last owner cannot leave.',
  body: contract.LeaveRequest,
  response: { 200: contract.RemovedMember, 429: ErrorBody },
})
const INVITATIONS = describeRoute('listInvitations', 'List the open invitations, newest first', {
  response: { 200: contract.InvitationList },
})
const INVITE = describeRoute('inviteMember', 'Invite an address to the account', {
  description:
    'With a session; an owner is invited with the password. Mails a link that works once, for 7 days; where the service sends no mail, the answer holds it. An earlier invitation of the address is replaced. An address belongs to one account: who accepts is told where it has one.',
  body: contract.InviteRequest,
  response: { 201: contract.CreatedInvitation },
})
const REVOKE = describeRoute('revokeInvitation', 'Revoke an invitation', {
  description: 'With a session.',
  params: ofInvitation,
  response: { 200: contract.RevokedInvitation },
})
/** Owner plane: members of the account, and invitations. */
export function memberRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)

  routes.get('/v1/account/members', { schema: LIST }, (request) => membersOf(deps, callerOf(request)))

  routes.patch('/v1/account/members/:memberId', { schema: CHANGE }, (request) =>
    changeMember(deps, administrator(request), { ...request.params, ...request.body }),
  )

  routes.delete('/v1/account/members/:memberId', { schema: REMOVE }, (request) =>
    removeMember(deps, administrator(request), { ...request.params, ...request.body }),
  )

  routes.post('/v1/account/leave', { schema: LEAVE }, async (request, reply) => {
    const session = signedIn(request, 'to leave the account')
    const left = await leaveAccount(deps, session, request.body)
    if (session.isFromCookie) clearSessionCookie(reply, deps.baseUrl())
    return left
  })

  routes.get('/v1/account/invitations', { schema: INVITATIONS }, (request) => invitationsOf(deps, callerOf(request)))

  routes.post('/v1/account/invitations', { schema: INVITE }, async (request, reply) =>
    reply.code(201).send(await inviteMember(deps, administrator(request), { ...request.body, ip: request.ip })),
  )

  routes.delete('/v1/account/invitations/:invitationId', { schema: REVOKE }, (request) =>
    revokeInvitation(deps, administrator(request), request.params.invitationId),
  )
}

// A stolen API key would make an owner, which could not be undone.
function administrator(request: FastifyRequest): LiveSession {
  return signedIn(request, 'to change members')
}
