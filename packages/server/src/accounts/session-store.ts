import type { Tier } from '@svc/contract'
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { isoText, SESSION_MS, SESSIONS_KEPT } from './rules.ts'

export interface SessionRow {
  ownerId: string
  email: string
  tier: Tier
  validUntil: number
}

/** The owner of a session that goes on, or null: it ended, or the password that it began under was changed. */
export async function findSession(db: Kysely<Schema>, handle: string, now: number): Promise<SessionRow | null> {
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
  return row ? { ownerId: row.owner_id, email: row.email, tier: row.tier, validUntil: row.valid_until } : null
}

/** Moves a session's end. One that was ended meanwhile stays ended. */
export async function extendSession(db: Kysely<Schema>, handle: string, validUntil: number): Promise<void> {
  await db
    .updateTable('auth_sessions')
    .set({ valid_until: validUntil })
    .where('token', '=', handle)
    .where('valid_until', '<', validUntil)
    .execute()
}

/** Ends a session, at once for every replica; does nothing where there is none. */
export async function deleteSession(db: Kysely<Schema>, handle: string): Promise<void> {
  await db.deleteFrom('auth_sessions').where('token', '=', handle).execute()
}

export interface NewSession {
  ownerId: string
  handle: string
  passwordVersion: number
  now: number
}

/** Begins a session; where the account has too many, it takes the place of the one that was used least lately. */
export async function insertSession(db: Kysely<Schema>, session: NewSession): Promise<void> {
  const { ownerId, handle, passwordVersion, now } = session
  await makeRoom(db, ownerId)
  const begunAt = isoText(now)
  await db
    .insertInto('auth_sessions')
    .values({
      owner_id: ownerId,
      id: handle,
      token: handle,
      valid_until: now + SESSION_MS,
      password_version: passwordVersion,
      expires_at: isoText(now + SESSION_MS),
      created_at: begunAt,
      updated_at: begunAt,
    })
    .execute()
}

async function makeRoom(db: Kysely<Schema>, ownerId: string): Promise<void> {
  const surplus = db
    .selectFrom('auth_sessions')
    .select('id')
    .where('owner_id', '=', ownerId)
    .orderBy('valid_until', 'desc')
    .orderBy('id')
    .limit(SESSIONS_KEPT)
    .offset(SESSIONS_KEPT - 1)
  await db.deleteFrom('auth_sessions').where('owner_id', '=', ownerId).where('id', 'in', surplus).execute()
}

/** Removes what is over by its time. */
export async function deleteEndedSessions(db: Kysely<Schema>, now: number): Promise<void> {
  await db.deleteFrom('auth_sessions').where('valid_until', '<=', now).execute()
}
