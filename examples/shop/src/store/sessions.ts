import { createHash } from 'node:crypto'
import { isPassword } from '@svc/example-kit'
import type { Store } from './open-store.ts'
import { ShopError } from './shop-error.ts'

export interface Customer {
  id: number
  name: string
  /** ISO 3166 code of the country that orders go to. */
  country: string
}

const SESSION_MS = 12 * 60 * 60 * 1000

// Checked where the address is unknown, so that the time an answer takes does not tell who is a customer.
const NOBODY = `${'A'.repeat(22)}.${'A'.repeat(43)}`

/** Starts a session of twelve hours. Null when the address is unknown or the password wrong: the caller cannot tell which. */
export async function signIn(
  store: Store,
  { email, password }: { email: string; password: string },
): Promise<{ token: string; name: string } | null> {
  const customer = store.database
    .prepare<[string], { id: number; name: string; password_hash: string }>(
      'SELECT id, name, password_hash FROM customers WHERE email = ?',
    )
    .get(email.trim())
  const isRight = await isPassword(password, customer?.password_hash ?? NOBODY)
  if (!customer || !isRight) return null
  return { token: startSession(store, customer.id), name: customer.name }
}

/** Starts a session of somebody who has been identified, and gives its token. */
export function startSession(store: Store, customerId: number): string {
  const token = store.newToken()
  store.database.prepare('DELETE FROM sessions WHERE expires_at <= ?').run(store.now())
  store.database
    .prepare('INSERT INTO sessions (token_hash, customer_id, expires_at) VALUES (?, ?, ?)')
    .run(hashToken(token), customerId, store.now() + SESSION_MS)
  return token
}

/** Ends a session at once. A token that is no session’s is none to end. */
export function signOut(store: Store, token: string): void {
  store.database.prepare('DELETE FROM sessions WHERE token_hash = ?').run(hashToken(token))
}

/** Whose session the token is. Throws a {@link ShopError} when it is nobody’s or has ended. */
export function requireCustomer(store: Store, token: string): Customer {
  const customer = store.database
    .prepare<[string, number], Customer>(
      `SELECT customers.id, customers.name, customers.country
       FROM sessions JOIN customers ON customers.id = sessions.customer_id
       WHERE sessions.token_hash = ? AND sessions.expires_at > ?`,
    )
    .get(hashToken(token), store.now())
  if (!customer) throw new ShopError('You are not signed in any more. Please sign in again.')
  return customer
}

// The database holds hashes only: a reader of it cannot use a session. 256 random bits need no slow hash.
function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
