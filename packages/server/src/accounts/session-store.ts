import type { Db } from '../store/schema.ts'
import { MAX_SESSIONS, SESSION_MS } from './rules.ts'
import { type OwnerRow, toOwner } from './store.ts'

/** The account and the end of a session; null where it has ended, or the password that it began with was changed. */
export async function findSession(
  db: Db,
  handle: string,
  now: number,
): Promise<{ owner: OwnerRow; validUntil: number } | null> {
  const row = await db
    .selectFrom('auth_sessions')
    .innerJoin('auth_accounts', (join) =>
      join
        .onRef('auth_accounts.owner_id', '=', 'auth_sessions.owner_id')
        .onRef('auth_accounts.password_version', '=', 'auth_sessions.password_version'),
    )
    .innerJoin('owners', 'owners.owner_id', 'auth_sessions.owner_id')
    .select(['owners.owner_id', 'owners.email', 'owners.tier', 'auth_sessions.valid_until'])
    .where('auth_sessions.token', '=', handle)
    .where('auth_sessions.valid_until', '>', now)
    .executeTakeFirst()
  return row ? { owner: toOwner(row), validUntil: row.valid_until } : null
}

/** Moves a session's end. A session that was deleted meanwhile stays deleted. */
export async function extendSession(db: Db, handle: string, validUntil: number): Promise<void> {
  await db
    .updateTable('auth_sessions')
    .set({ valid_until: validUntil })
    .where('token', '=', handle)
    .where('valid_until', '<', validUntil)
    .execute()
}

/** Ends a session, at once for every replica. */
export async function deleteSession(db: Db, handle: string): Promise<void> {
  await db.deleteFrom('auth_sessions').where('token', '=', handle).execute()
}

/** Inserts a session, in place of the least recently renewed ones where the account has too many. */
export async function insertSession(
  db: Db,
  { ownerId, handle, passwordVersion, now }: { ownerId: string; handle: string; passwordVersion: number; now: number },
): Promise<void> {
  const surplus = db
    .selectFrom('auth_sessions')
    .select('id')
    .where('owner_id', '=', ownerId)
    .orderBy('valid_until', 'desc')
    .orderBy('id')
    .limit(MAX_SESSIONS)
    .offset(MAX_SESSIONS - 1)
  await db.deleteFrom('auth_sessions').where('owner_id', '=', ownerId).where('id', 'in', surplus).execute()
  const ids = { owner_id: ownerId, id: handle, token: handle, password_version: passwordVersion }
  const validUntil = now + SESSION_MS
  // Nothing reads these three columns.
  const at = new Date(now).toISOString()
  const texts = { expires_at: new Date(validUntil).toISOString(), created_at: at, updated_at: at }
  await db
    .insertInto('auth_sessions')
    .values({ ...ids, valid_until: validUntil, ...texts })
    .execute()
}
