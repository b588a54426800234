import type { RevokedSession, RevokedSessions, Session, SessionList } from '@svc/contract'
import { notFound, unauthorized } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { noteUse, toAccount } from './accounts.ts'
import { deleteExpired } from './attempts-store.ts'
import type { LiveSession } from './caller.ts'
import type { Member } from './member-store.ts'
import type { StoredPassword } from './password-store.ts'
import { isUseDue, KNOWN_NETWORK_MS, renewedUntil, SESSION_MS } from './rules.ts'
import * as store from './session-store.ts'
import { handleOf, mintHandle, signSession } from './session-token.ts'

/** The session of a bearer credential or a cookie, renewed once a day. Throws the same 401 for every other credential. */
export async function authenticateSession(deps: CoreDeps, presented: string): Promise<LiveSession> {
  const now = deps.clock.now()
  const handle = handleOf(deps.keyring, presented)
  const session = handle && (await store.findSession(deps.db, handle, now))
  if (!handle || !session) throw unauthorized()
  const renewed = renewedUntil(session.validUntil, now)
  const { lastUsedAt, ...found } = session
  const live = { ...found, role: found.member.role, keyId: null }
  if (isUseDue(lastUsedAt, now)) await noteUse(deps, store.noteSessionUse(deps.db, handle, now))
  if (renewed === null) return { ...live, isRenewed: false }
  await store.extendSession(deps.db, handle, renewed)
  return { ...live, validUntil: renewed, isRenewed: true }
}

/** A member whose password, in this version of it, was given. */
export type VerifiedMember = Omit<StoredPassword, 'hash'>

/**
 * Begins a session with this version of the password; where the password was changed meanwhile, the session is void.
 * Nothing can fail once the session is stored: the answer needs no further read.
 */
export async function beginSession(
  deps: CoreDeps,
  { owner, member, version }: VerifiedMember,
  device: string | null = null,
): Promise<Session> {
  const now = deps.clock.now()
  const handle = mintHandle()
  const ids = { ownerId: owner.ownerId, memberId: member.memberId, sessionId: deps.newId('session'), handle }
  await store.insertSession(deps.db, { ...ids, passwordVersion: version, device, now })
  const token = signSession(deps.keyring, handle).reveal()
  return { account: toAccount(owner, { role: member.role, member }), token, expiresAt: isoTime(now + SESSION_MS) }
}

/** Ends the session of a token at once, on every replica; does nothing for any other text. */
export async function endSession({ db, keyring }: CoreDeps, presented: string): Promise<void> {
  const handle = handleOf(keyring, presented)
  if (handle !== null) await store.deleteSession(db, handle)
}

/** A member's sessions, the last used first. `currentId` is the one of the request; null for an API key. */
export async function listOwnSessions(deps: CoreDeps, member: Member, currentId: string | null): Promise<SessionList> {
  const rows = await store.listSessions(deps.db, member.memberId, deps.clock.now())
  const sessions = rows.map((row) => ({
    sessionId: row.id,
    device: row.user_agent,
    createdAt: isoTime(Date.parse(row.created_at)),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    expiresAt: isoTime(row.valid_until),
    isCurrent: row.id === currentId,
  }))
  return { sessions }
}

/** Ends a session of the member at once, on every replica. Another one's reads as absent. */
export async function revokeSession({ db }: CoreDeps, member: Member, sessionId: string): Promise<RevokedSession> {
  if (!(await store.deleteOwnSession(db, member.memberId, sessionId))) throw notFound('The session')
  return { sessionId }
}

/** Ends every session of the member but this one. */
export async function revokeOtherSessions({ db }: CoreDeps, session: LiveSession): Promise<RevokedSessions> {
  return { revoked: await store.deleteOtherSessions(db, session.member.memberId, session.sessionId) }
}

/** Removes ended sessions, invitations and device logins, full buckets of attempts, and networks that were not used lately. */
export function sweepSessions({ db, clock }: Pick<CoreDeps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  return deleteExpired(db, now, now - KNOWN_NETWORK_MS)
}
