import type { Account, Tier } from '@svc/contract'
import { addKey, lookUpHashes } from '../credentials/credentials.ts'
import { unauthorized } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { Secret } from '../secrets/secret.ts'
import { isUseDue } from './rules.ts'
import {
  ensureOwner,
  findOwner,
  findOwnerByKey,
  type NewOwner,
  noteKeyUse,
  type OwnerRow,
  updateTier,
} from './store.ts'

/** The account of a request on the owner plane. */
export type Owner = OwnerRow

/**
 * Creates the account unless it exists, and a further key for it. Throws 403 where the account has its full number of keys.
 * The tier applies to a new account only.
 */
export async function createOwner(
  deps: Pick<CoreDeps, 'db' | 'clock' | 'newId' | 'keyring'>,
  { email, tier }: { email: string; tier: Tier },
): Promise<{ owner: Owner; apiKey: Secret }> {
  const ids = { ownerId: deps.newId('owner'), email: normalizeEmail(email) }
  const owner = await ensureOwner(deps.db, { ...ids, tier, createdAt: deps.clock.now() })
  const { key } = await addKey(deps, owner.ownerId, 'create-owner')
  return { owner, apiKey: key }
}

/** Changes an account's tier; null when no account has this address. */
export function setTier(
  { db, clock }: Pick<CoreDeps, 'db' | 'clock'>,
  { email, tier }: { email: string; tier: Tier },
): Promise<Owner | null> {
  return updateTier(db, { email: normalizeEmail(email), tier, now: clock.now() })
}

/** An e-mail address in the form that the store compares. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** An account as its owner sees it. Throws 401 where it no longer exists. */
export async function accountOf({ db }: CoreDeps, { ownerId }: Owner): Promise<Account> {
  const row = await findOwner(db, ownerId)
  if (!row) throw unauthorized()
  return toAccount(row)
}

export function toAccount({ createdAt, ...owner }: NewOwner): Account {
  return { ...owner, createdAt: isoTime(createdAt) }
}

/** The account behind an API key. Throws the same 401 for every other credential. */
export async function authenticateOwner(deps: CoreDeps, presented: string): Promise<Owner> {
  const hashes = lookUpHashes(deps, 'account', presented)
  const now = deps.clock.now()
  const found = hashes && (await findOwnerByKey(deps.db, hashes, now))
  if (!found) throw unauthorized()
  const { owner, keyId, lastUsedAt } = found
  if (isUseDue(lastUsedAt, now)) await noteUse(deps, noteKeyUse(deps.db, { ownerId: owner.ownerId, keyId, now }))
  return owner
}

/** When something was last used is worth a write, but no failed request. */
export async function noteUse({ logger }: Pick<CoreDeps, 'logger'>, noting: Promise<void>): Promise<void> {
  await noting.catch((err: unknown) => logger.warn({ err }, 'the use of a credential was not noted'))
}
