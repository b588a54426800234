import { sql } from 'kysely'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db } from '../store/schema.ts'
import { type Member, toMember } from './member-store.ts'
import { MAX_SESSIONS, SESSION_MS } from './rules.ts'
import { type OwnerRow, toOwner } from './store.ts'

interface FoundSession {
  owner: OwnerRow
  /** With the role of now. */
  member: Member
  sessionId: string
  validUntil: number
  lastUsedAt: number | null
}

/** Whose a session is, and its end; null where it has ended, or the password that it began with was changed. */
export async function findSession(db: Db, handle: string, now: number): Promise<FoundSession | null> {
  const valid = validSessions(db, now)
    .innerJoin('owners', 'owners.owner_id', 'members.owner_id')
    .select(['owners.owner_id', 'owners.email', 'owners.tier'])
    .select(['members.member_id', 'members.email as own_email', 'members.role'])
    .select(['auth_sessions.id', 'valid_until', 'auth_sessions.last_used_at'])
  const row = await firstRow(valid.where('token', '=', handle))
  if (!row) return null
  const member = toMember({ ...row, email: row.own_email })
  return { owner: toOwner(row), member, sessionId: row.id, validUntil: row.valid_until, lastUsedAt: row.last_used_at }
}

/** Moves a session's end. A session that was deleted meanwhile stays deleted. */
export async function extendSession(db: Db, handle: string, validUntil: number): Promise<void> {
  const earlier = db.updateTable('auth_sessions').where('valid_until', '<', validUntil)
  await earlier.set({ valid_until: validUntil }).where('token', '=', handle).execute()
}

export async function noteSessionUse(db: Db, handle: string, now: number): Promise<void> {
  await db.updateTable('auth_sessions').set({ last_used_at: now }).where('token', '=', handle).execute()
}

/** A member's sessions that can be used, the last used first. */
export function listSessions(db: Db, memberId: string, now: number) {
  return validSessions(db, now)
    .select(['auth_sessions.id', 'user_agent', 'last_used_at', 'valid_until', 'auth_sessions.created_at'])
    .where('auth_sessions.member_id', '=', memberId)
    .orderBy(sql`coalesce(last_used_at, 0)`, 'desc')
    .orderBy('auth_sessions.id', 'desc')
    .limit(MAX_SESSIONS)
    .execute()
}

function validSessions(db: Db, now: number) {
  return db
    .selectFrom('auth_sessions')
    .innerJoin('members', (join) =>
      join
        .onRef('members.member_id', '=', 'auth_sessions.member_id')
        .onRef('members.password_version', '=', 'auth_sessions.password_version'),
    )
    .where('valid_until', '>', now)
}

/** Ends a session of this member, at once for every replica; false where they have none of this id. */
export function deleteOwnSession(db: Db, memberId: string, sessionId: string): Promise<boolean> {
  return hasEffect(
    db.deleteFrom('auth_sessions').where(matching('auth_sessions', { member_id: memberId, id: sessionId })),
  )
}

/** Ends the sessions of this member but one; returns how many. */
export async function deleteOtherSessions(db: Db, memberId: string, exceptId: string): Promise<number> {
  const others = db.deleteFrom('auth_sessions').where('member_id', '=', memberId).where('id', '<>', exceptId)
  return Number((await others.executeTakeFirst()).numDeletedRows)
}

/** Ends a session, at once for every replica. */
export async function deleteSession(db: Db, handle: string): Promise<void> {
  await db.deleteFrom('auth_sessions').where('token', '=', handle).execute()
}

interface NewSession {
  ownerId: string
  memberId: string
  sessionId: string
  handle: string
  passwordVersion: number
  /** What it began on, as the member reads it. */
  device: string | null
  now: number
}

/** Inserts a session, in place of the least recently renewed ones where the member has too many. */
export async function insertSession(db: Db, session: NewSession): Promise<void> {
  const { ownerId, memberId, sessionId, handle, passwordVersion, device, now } = session
  const own = db.selectFrom('auth_sessions').select('id').where('member_id', '=', memberId)
  const surplus = own
    .orderBy('valid_until', 'desc')
    .orderBy('id')
    .limit(MAX_SESSIONS)
    .offset(MAX_SESSIONS - 1)
  await db.deleteFrom('auth_sessions').where('member_id', '=', memberId).where('id', 'in', surplus).execute()
  const validUntil = now + SESSION_MS
  const at = new Date(now).toISOString()
  const row = {
    id: sessionId,
    owner_id: ownerId,
    member_id: memberId,
    password_version: passwordVersion,
    token: handle,
    user_agent: device,
    last_used_at: now,
    valid_until: validUntil,
    expires_at: new Date(validUntil).toISOString(),
    created_at: at,
    updated_at: at,
  }
  await db.insertInto('auth_sessions').values(row).execute()
}
