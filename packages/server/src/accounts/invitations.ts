import { randomBytes } from 'node:crypto'
import type * as contract from '@svc/contract'
import { afterCommit, forbidden, invalidField, limited, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { networkOf } from '../lib/network.ts'
import type { Mail } from '../mail/mailer.ts'
import type { Secret } from '../secrets/secret.ts'
import { AccountGoneError } from '../store/errors.ts'
import { normalizeEmail } from './accounts.ts'
import { countAttempt, isWithinRate } from './attempts.ts'
import type { Caller, LiveSession } from './caller.ts'
import type { AccountDeps } from './deps.ts'
import { actorOf, REFUSED_ACTORS } from './given-again.ts'
import * as store from './invitation-store.ts'
import { INVITATION_MS, IPV6_BITS, MAX_INVITATIONS, MAX_MEMBERS } from './rules.ts'
import { beginFrom } from './sign-in.ts'
import { findOwner } from './store.ts'

/**
 * Invites an address, in place of an earlier invitation of it; an owner with the password. The link is mailed or, where the service sends no mail, part of
 * the answer. That is the same whether the address belongs to another account or not: the holder of the link is told.
 */
export async function inviteMember(
  deps: AccountDeps,
  session: LiveSession,
  { email: typed, role, ip, ...given }: contract.InviteRequest & { ip: string },
): Promise<contract.CreatedInvitation> {
  const { mailer } = deps
  const { ownerId } = session.owner
  deps.diskSpace.require()
  if (mailer && !mailer.hasRoom())
    throw limited('Too many mails are waiting to be sent. Try again in a minute.', 60_000)
  const email = normalizeEmail(typed)
  await countAttempt(deps, [
    ['invite/account', ownerId],
    ['invite/address', `${ownerId} ${email}`],
    ['invite/network', networkOf(ip, IPV6_BITS.signUp)],
  ])
  const by = await actorOf(deps, session, given)
  const token = randomBytes(32).toString('base64url')
  const now = deps.clock.now()
  const row = {
    ...{ invitation_id: deps.newId('invitation'), owner_id: ownerId, email, role },
    ...{ token_hash: deps.keyring.hash(text(token)), created_at: now, expires_at: now + INVITATION_MS },
  }
  const outcome = await store.putInvitation(deps.db, row, { by, now })
  if (outcome !== 'stored') throw REFUSALS[outcome]()
  const link = `${new URL('/dashboard/join', deps.baseUrl()).href}#${token}`
  deps.logger.info({ ownerId, invitationId: row.invitation_id, role, by: by.memberId }, 'somebody was invited')
  // One address gets so many mails from all accounts together. An answer must not tell that it had them.
  mailer?.post(networkOf(ip, IPV6_BITS.hashing), async () =>
    (await isWithinRate(deps, [['invite/mail', email]])) ? mailWith(link, email, role, session) : null,
  )
  return { ...toInvitation(row), link: mailer ? null : link }
}

/** The open invitations of the account, newest first. */
export async function invitationsOf({ db, clock }: AccountDeps, { owner }: Caller): Promise<contract.InvitationList> {
  const rows = await store.listInvitations(db, owner.ownerId, clock.now())
  return { invitations: rows.map(toInvitation) }
}

/** Ends an invitation: its link is no longer valid. */
export async function revokeInvitation(
  { db, logger }: AccountDeps,
  { member: { ownerId, memberId: by } }: LiveSession,
  invitationId: string,
): Promise<contract.RevokedInvitation> {
  if (!(await store.deleteInvitation(db, ownerId, invitationId))) throw notFound('The invitation')
  logger.info({ ownerId, invitationId, by }, 'an invitation was revoked')
  return { invitationId }
}

/** What the holder of a link is invited to. */
export async function readInvitation(deps: AccountDeps, token: string, ip: string): Promise<contract.OpenInvitation> {
  const { account, email, role, expires_at } = await findOpen(deps, token, ip)
  return { account, email, role, expiresAt: isoTime(expires_at) }
}

interface Acceptance {
  token: string
  password: Secret
  ip: string
  device: string | null
}

/** Makes the holder of a link a member, once, and begins their first session. */
export async function acceptInvitation(deps: AccountDeps, acceptance: Acceptance): Promise<contract.Session> {
  const { token, password, ...client } = acceptance
  deps.diskSpace.require()
  const invitation = await findOpen(deps, token, client.ip)
  const place = { key: `join ${invitation.invitation_id}`, isKnown: true }
  const passwordHash = await deps.passwords.run(place, (hasher) => hasher.hash(password.reveal()))
  const joining = { invitation, memberId: deps.newId('member'), passwordHash, now: deps.clock.now() }
  const joined = await store.acceptInvitation(deps.db, joining).catch(goneAccount)
  if (joined.outcome !== 'joined') throw REFUSALS[joined.outcome]()
  const { ownerId, memberId, role } = joined.member
  deps.logger.info({ ownerId, memberId, role, invitationId: invitation.invitation_id }, 'a member joined')
  const begin = async () => {
    const owner = await findOwner(deps.db, ownerId)
    if (!owner) throw invalidLink()
    return beginFrom(deps, { owner, ...joined }, client)
  }
  return afterCommit(begin())
}

async function findOpen(deps: AccountDeps, token: string, ip: string) {
  await countAttempt(deps, [['invitation/network', networkOf(ip, IPV6_BITS.attempts)]])
  const found = await store.findInvitation(deps.db, deps.keyring.hashes(text(token)), deps.clock.now())
  if (!found) throw invalidLink()
  return found
}

function goneAccount(error: unknown): { outcome: 'gone' } {
  if (error instanceof AccountGoneError) return { outcome: 'gone' }
  throw error
}

function mailWith(link: string, email: string, role: contract.Role, { owner, member }: LiveSession): Mail {
  const lines = [
    `${member.email} invites you to the account ${owner.email}, as ${role}.`,
    'Accept it here, and set your password:',
    link,
    'The link works once, for 7 days. A newer mail of this kind ends it.',
    'If you do not know who that is, ignore this mail.',
  ]
  return { to: email, subject: `Join the account ${owner.email}`, text: `${lines.join('\n\n')}\n` }
}

function toInvitation(row: store.InvitationRow): contract.Invitation {
  const { invitation_id: invitationId, email, role, created_at, expires_at } = row
  return { invitationId, email, role, createdAt: isoTime(created_at), expiresAt: isoTime(expires_at) }
}

const text = (token: string) => `invitation:${token}`
const invalidLink = () =>
  invalidField(
    'token',
    'is not valid: the invitation was accepted or revoked, has expired, or was replaced by a newer one.',
  )

const REFUSALS = {
  ...REFUSED_ACTORS,
  'is member': () => invalidField('email', 'belongs to a member of the account already.'),
  'members full': () => forbidden(`An account can have ${MAX_MEMBERS} members. Remove one first.`),
  'invitations full': () =>
    forbidden(`An account can have ${MAX_INVITATIONS} open invitations. Revoke one that is no longer needed.`),
  gone: invalidLink,
  full: () => forbidden(`The account has ${MAX_MEMBERS} members, as many as it can. Ask its owner to remove one.`),
  taken: () =>
    forbidden(
      'Your address belongs to an account already, and an address belongs to one account. Leave or delete that account first, or ask for an invitation to another address.',
    ),
}
