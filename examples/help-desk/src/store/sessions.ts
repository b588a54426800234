import { createHash, randomBytes } from 'node:crypto'
import { isPassword } from '@svc/example-kit'
import type { Store } from './open-store.ts'

export interface User {
  id: number
  name: string
}

/** `page` is the cookie of the application; `chat` is for capabilities alone, and short-lived. */
export type Purpose = 'page' | 'chat'

const LIFETIME_MS: Readonly<Record<Purpose, number>> = { page: 12 * 60 * 60_000, chat: 10 * 60_000 }

// Checked where the address is unknown, so that the time an answer takes does not tell who has an account.
const NOBODY = `${'A'.repeat(22)}.${'A'.repeat(43)}`

/** Begins a session of the application. Null for an unknown address as for a wrong password. */
export async function signIn(
  store: Store,
  { email, password }: { email: string; password: string },
): Promise<string | null> {
  const user = store.database
    .prepare<[string], { id: number; password_hash: string }>('SELECT id, password_hash FROM users WHERE email = ?')
    .get(email.trim())
  const isRight = await isPassword(password, user?.password_hash ?? NOBODY)
  return user && isRight ? begin(store, { userId: user.id, purpose: 'page' }) : null
}

/** A token for the chat of whoever has this session, or null. It ends with the session. */
export function beginChat(store: Store, session: string | undefined): string | null {
  const user = userOf(store, session, 'page')
  return user && session ? begin(store, { userId: user.id, purpose: 'chat', pageHash: hash(session) }) : null
}

/** Whose token it is. Null where it was made for something else, or has ended. */
export function userOf({ database, now }: Store, token: string | undefined, purpose: Purpose): User | null {
  if (!token) return null
  const user = database
    .prepare<[string, Purpose, number], User>(
      `SELECT users.id, users.name FROM sessions JOIN users ON users.id = sessions.user_id
       WHERE token_hash = ? AND purpose = ? AND expires_at > ?`,
    )
    .get(hash(token), purpose, now())
  return user ?? null
}

/** Ends a session and the tokens that its chat was given. */
export function signOut({ database }: Store, session: string): void {
  database.prepare('DELETE FROM sessions WHERE page_hash = ?').run(hash(session))
}

function begin(
  { database, now }: Store,
  { userId, purpose, pageHash }: { userId: number; purpose: Purpose; pageHash?: string },
): string {
  const token = randomBytes(32).toString('base64url')
  database.prepare('DELETE FROM sessions WHERE expires_at <= ?').run(now())
  database
    .prepare('INSERT INTO sessions (token_hash, user_id, purpose, page_hash, expires_at) VALUES (?, ?, ?, ?, ?)')
    .run(hash(token), userId, purpose, pageHash ?? hash(token), now() + LIFETIME_MS[purpose])
  return token
}

// A reader of the database cannot use a session. 256 random bits need no slow hash.
function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
