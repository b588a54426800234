import { openStore, type Store } from '@svc/example-shop'
import { type Customer, requireCustomer, signIn } from '../../src/store/sessions.ts'

const NOON = Date.UTC(2025, 5, 2, 12)

export interface TestStore extends Store {
  /** Moves the clock forward. */
  pass(milliseconds: number): void
}

/** A new shop in memory whose clock stands still until it is moved. */
export function openTestStore(): TestStore {
  let now = NOON
  const store = openStore({ databaseFile: ':memory:', now: () => now })
  // Not spread: that would read the lazily opened database.
  return Object.assign(store, {
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  })
}

export const MIRA = { email: 'mira@example.com', password: 'mountain-air' }
export const JONAS = { email: 'jonas@example.com', password: 'river-stones' }

/** A session token of a customer. */
export async function tokenOf(store: Store, credentials: { email: string; password: string }): Promise<string> {
  const session = await signIn(store, credentials)
  if (!session) throw new Error(`${credentials.email} cannot sign in`)
  return session.token
}

export async function customerOf(store: Store, credentials: { email: string; password: string }): Promise<Customer> {
  return requireCustomer(store, await tokenOf(store, credentials))
}
