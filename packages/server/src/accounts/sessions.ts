import type { Session } from '@svc/contract'
import { unauthorized } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { noteUse, toAccount } from './accounts.ts'
import { deleteExpired } from './attempts-store.ts'
import type { LiveSession } from './caller.ts'
import type { StoredPassword } from './password-store.ts'
import { isUseDue, KNOWN_NETWORK_MS, renewedUntil, SESSION_MS } from './rules.ts'
import { deleteSession, extendSession, findSession, insertSession, noteSessionUse } from './session-store.ts'
import { handleOf, mintHandle, signSession } from './session-token.ts'

/** The session of a bearer credential or a cookie, renewed once a day. Throws the same 401 for every other credential. */
export async function authenticateSession(deps: CoreDeps, presented: string): Promise<LiveSession> {
  const now = deps.clock.now()
  const handle = handleOf(deps.keyring, presented)
  const session = handle && (await findSession(deps.db, handle, now))
  if (!handle || !session) throw unauthorized()
  const renewed = renewedUntil(session.validUntil, now)
  const { lastUsedAt, ...found } = session
  const live = { ...found, role: found.member.role, keyId: null }
  if (isUseDue(lastUsedAt, now)) await noteUse(deps, noteSessionUse(deps.db, handle, now))
  if (renewed === null) return { ...live, isRenewed: false }
  await extendSession(deps.db, handle, renewed)
  return { ...live, validUntil: renewed, isRenewed: true }
}

/**
 * Begins a session with this version of the password; where the password was changed meanwhile, the session is void.
 * Nothing can fail once the session is stored: the answer needs no further read.
 */
export async function beginSession(
  deps: CoreDeps,
  { owner, member, version }: Omit<StoredPassword, 'hash'>,
  device: string | null = null,
): Promise<Session> {
  const now = deps.clock.now()
  const handle = mintHandle()
  const ids = { ownerId: owner.ownerId, memberId: member.memberId, sessionId: deps.newId('session'), handle }
  await insertSession(deps.db, { ...ids, passwordVersion: version, device, now })
  const token = signSession(deps.keyring, handle).reveal()
  return { account: toAccount(owner, { role: member.role, member }), token, expiresAt: isoTime(now + SESSION_MS) }
}

/** Ends the session of a token at once, on every replica; does nothing for any other text. */
export async function endSession({ db, keyring }: CoreDeps, presented: string): Promise<void> {
  const handle = handleOf(keyring, presented)
  if (handle !== null) await deleteSession(db, handle)
}

/** Removes ended sessions, invitations and device logins, full buckets of attempts, and networks that were not used lately. */
export function sweepSessions({ db, clock }: Pick<CoreDeps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  return deleteExpired(db, now, now - KNOWN_NETWORK_MS)
}
