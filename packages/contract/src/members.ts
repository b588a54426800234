import * as z from 'zod'
import { Email, GivenCode, GivenPassword, NewPassword } from './accounts.ts'
import { Timestamp } from './json.ts'
import { Role } from './roles.ts'

/** A person of the account, with an address and a password of their own. */
export const Member = z.object({
  memberId: z.string(),
  email: z.string(),
  role: Role,
  joinedAt: Timestamp,
  isSelf: z.boolean().describe('Whether this request came from this member.'),
})
export type Member = z.infer<typeof Member>

/** Answer of `GET /v1/account/members`: the first to join first. An account has 50 at most. */
export const MemberList = z.object({ members: z.array(Member) })
export type MemberList = z.infer<typeof MemberList>

const code = GivenCode.optional().describe(
  'With the password where two-factor sign-in is on: six digits of one’s app, or a recovery code.',
)
const GIVEN_AGAIN = {
  password: GivenPassword.optional().describe('One’s own. Needed where an owner is made, demoted or removed.'),
  code,
}

/** Body of `PATCH /v1/account/members/<member_id>`. */
export const ChangeMemberRequest = z.strictObject({ role: Role, ...GIVEN_AGAIN })
export type ChangeMemberRequest = z.infer<typeof ChangeMemberRequest>

/** Body of `DELETE /v1/account/members/<member_id>`. */
export const RemoveMemberRequest = z.strictObject(GIVEN_AGAIN)
export type RemoveMemberRequest = z.infer<typeof RemoveMemberRequest>

/** Body of `POST /v1/account/leave`. */
export const LeaveRequest = z.strictObject({ password: GivenPassword, code })
export type LeaveRequest = z.infer<typeof LeaveRequest>

export const RemovedMember = z.object({ memberId: z.string() })
export type RemovedMember = z.infer<typeof RemovedMember>

/** An address that may join the account. */
export const Invitation = z.object({
  invitationId: z.string(),
  email: z.string(),
  role: Role,
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type Invitation = z.infer<typeof Invitation>

/** Answer of `GET /v1/account/invitations`: those that are open, the newest first. An account has 20 at most. */
export const InvitationList = z.object({ invitations: z.array(Invitation) })
export type InvitationList = z.infer<typeof InvitationList>

/** Body of `POST /v1/account/invitations`. An earlier invitation of the address is replaced. */
export const InviteRequest = z.strictObject({ email: Email, role: Role, ...GIVEN_AGAIN })
export type InviteRequest = z.infer<typeof InviteRequest>

export const CreatedInvitation = Invitation.extend({
  link: z
    .string()
    .nullable()
    .describe('To pass on, where the service sends no mail; only this answer holds it. Null where it was mailed.'),
})
export type CreatedInvitation = z.infer<typeof CreatedInvitation>

export const RevokedInvitation = z.object({ invitationId: z.string() })
export type RevokedInvitation = z.infer<typeof RevokedInvitation>

const Token = z.string().min(1).max(128).describe('What stands after `#` in the link.')

/** Body of `POST /v1/auth/invitation`. */
export const ReadInvitationRequest = z.strictObject({ token: Token })
export type ReadInvitationRequest = z.infer<typeof ReadInvitationRequest>

/** What the holder of a link is invited to. */
export const OpenInvitation = z.object({
  account: z.string().describe('The address of the account.'),
  email: z.string().describe('The address that is invited.'),
  role: Role,
  expiresAt: Timestamp,
})
export type OpenInvitation = z.infer<typeof OpenInvitation>

/** Body of `POST /v1/auth/invitation/accept`. */
export const AcceptInvitationRequest = z.strictObject({ token: Token, password: NewPassword })
export type AcceptInvitationRequest = z.infer<typeof AcceptInvitationRequest>
