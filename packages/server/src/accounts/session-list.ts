import type { RevokedSession, RevokedSessions, SessionList } from '@svc/contract'
import { notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { Member } from './member-store.ts'
import { deleteOtherSessions, deleteOwnSession, listSessions } from './session-store.ts'

type Deps = Pick<CoreDeps, 'db' | 'clock'>

/** A member's sessions, the last used first. `currentId` is the one of the request; null for an API key. */
export async function listOwnSessions(
  { db, clock }: Deps,
  { memberId }: Member,
  currentId: string | null,
): Promise<SessionList> {
  const rows = await listSessions(db, memberId, clock.now())
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
export async function revokeSession({ db }: Deps, { memberId }: Member, sessionId: string): Promise<RevokedSession> {
  if (!(await deleteOwnSession(db, memberId, sessionId))) throw notFound('The session')
  return { sessionId }
}

/** Ends every session of the member but the one of the request. */
export async function revokeOtherSessions(
  { db }: Deps,
  { memberId }: Member,
  currentId: string,
): Promise<RevokedSessions> {
  return { revoked: await deleteOtherSessions(db, memberId, currentId) }
}
