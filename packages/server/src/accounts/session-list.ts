import type { RevokedSession, RevokedSessions, SessionList } from '@svc/contract'
import { notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { Owner } from './accounts.ts'
import { deleteOtherSessions, deleteOwnSession, listSessions } from './session-store.ts'

type Deps = Pick<CoreDeps, 'db' | 'clock'>

/** The account's sessions, the last used first. `currentId` is the one of the request; null for an API key. */
export async function listOwnSessions(
  { db, clock }: Deps,
  { ownerId }: Owner,
  currentId: string | null,
): Promise<SessionList> {
  const rows = await listSessions(db, ownerId, clock.now())
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

/** Ends a session of the account at once, on every replica. Another account's reads as absent. */
export async function revokeSession({ db }: Deps, { ownerId }: Owner, sessionId: string): Promise<RevokedSession> {
  if (!(await deleteOwnSession(db, ownerId, sessionId))) throw notFound('The session')
  return { sessionId }
}

/** Ends every session of the account but the one of the request. */
export async function revokeOtherSessions(
  { db }: Deps,
  { ownerId }: Owner,
  currentId: string,
): Promise<RevokedSessions> {
  return { revoked: await deleteOtherSessions(db, ownerId, currentId) }
}
