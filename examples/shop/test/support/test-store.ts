import { openStore, type Store } from '@svc/example-shop'
import { type Customer, requireCustomer, startSession } from '../../src/store/sessions.ts'

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

/** A token of a session of this customer, whose password is not looked at. */
export function tokenOf(store: Store, { email }: { email: string }): string {
  const find = store.database.prepare<[string], number>('SELECT id FROM customers WHERE email = ?').pluck()
  return startSession(store, find.get(email) ?? 0)
}

export function customerOf(store: Store, customer: { email: string }): Customer {
  return requireCustomer(store, tokenOf(store, customer))
}
