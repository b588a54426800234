import type { Tier } from '@svc/contract'
import { Lru } from '../lib/lru.ts'
import { isPastBudget } from './stored-bytes-rules.ts'

interface Account {
  tier: Tier
  storedBytes: number
  /** Settled here, and not yet in the figure. */
  added: number
}

/** What accounts have stored, as this server knows it from their admissions and settlements: it costs no read. */
export class StorageBudget {
  readonly #accounts = new Lru<string, Account>(10_000)

  /** Takes the figure that an admission has read. */
  note(ownerId: string, { tier, storedBytes }: Omit<Account, 'added'>): void {
    const known = this.#accounts.get(ownerId)
    // A figure that has moved holds what was added since the last one.
    const added = known?.storedBytes === storedBytes ? known.added : 0
    this.#accounts.set(ownerId, { tier, storedBytes, added })
  }

  isPast(ownerId: string): boolean {
    const known = this.#accounts.get(ownerId)
    return known !== undefined && isPastBudget(known.tier, known.storedBytes + known.added)
  }

  add(ownerId: string, bytes: number): void {
    const known = this.#accounts.get(ownerId)
    if (known) known.added += bytes
  }
}
