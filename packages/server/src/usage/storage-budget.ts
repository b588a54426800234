import type { Tier } from '@svc/contract'
import { Lru } from '../lib/lru.ts'
import { isPastBudget } from './stored-bytes-rules.ts'

interface Account {
  tier: Tier
  storedBytes: number
  /** Bytes settled here since `storedBytes` changed, and between its last two changes: it may lack a part of both. */
  added: number
  addedBefore: number
}

/** The stored bytes of accounts, estimated from their admissions and settlements without a read. */
export class StorageBudget {
  readonly #accounts = new Lru<string, Account>(10_000)

  /** Takes the stored bytes that an admission has read. */
  note(ownerId: string, { tier, storedBytes }: Pick<Account, 'tier' | 'storedBytes'>): void {
    const known = this.#accounts.get(ownerId)
    if (known?.storedBytes === storedBytes) known.tier = tier
    else this.#accounts.set(ownerId, { tier, storedBytes, added: 0, addedBefore: known?.added ?? 0 })
  }

  /** Whether so many more bytes would exceed the plan. */
  isPast(ownerId: string, more = 0): boolean {
    const known = this.#accounts.get(ownerId)
    if (known === undefined) return false
    return isPastBudget(known.tier, known.storedBytes + known.addedBefore + known.added + more)
  }

  add(ownerId: string, bytes: number): void {
    const known = this.#accounts.get(ownerId)
    if (known) known.added += bytes
  }
}
