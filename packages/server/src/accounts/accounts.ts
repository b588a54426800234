import type { Account, Tier } from '@svc/contract'
import { insertAccountKey } from '../credentials/account-key-store.ts'
import { lookUpHashes, mintCredential } from '../credentials/credentials.ts'
import { TOO_MANY_KEYS } from '../credentials/rules.ts'
import type { Deps } from '../deps.ts'
import { forbidden, unauthorized } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { Secret } from '../secrets/secret.ts'
import { ensureOwner, findOwner, findOwnerByKey, type NewOwner, type OwnerRow, updateTier } from './store.ts'

/** Who a request on the owner plane comes from. */
export type Owner = OwnerRow

/**
 * The account of this address, made if new, and a further key for it. Throws 403 where the account has its full number of
 * keys. The tier counts for a new account only.
 */
export async function createOwner(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'keyring'>,
  input: { email: string; tier: Tier },
): Promise<{ owner: Owner; apiKey: Secret }> {
  const owner = await ensureOwner(deps.db, {
    ownerId: deps.newId('owner'),
    email: normalizeEmail(input.email),
    tier: input.tier,
    createdAt: deps.clock.now(),
  })
  const { key, row } = mintCredential(deps, owner.ownerId, { kind: 'account', runtimeId: null, name: 'create-owner' })
  if (!(await insertAccountKey(deps.db, row))) throw forbidden(TOO_MANY_KEYS)
  return { owner, apiKey: key }
}

/** Changes an account's tier; null when no account has this address. */
export function setTier(deps: Pick<Deps, 'db' | 'clock'>, input: { email: string; tier: Tier }): Promise<Owner | null> {
  const email = normalizeEmail(input.email)
  return updateTier(deps.db, { email, tier: input.tier, now: deps.clock.now() })
}

/** An e-mail address as accounts are kept by it. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** An account as its owner sees it. Throws 401 where it is gone. */
export async function accountOf(deps: Pick<Deps, 'db'>, owner: Owner): Promise<Account> {
  const row = await findOwner(deps.db, owner.ownerId)
  if (!row) throw unauthorized()
  return toAccount(row)
}

export function toAccount({ ownerId, email, tier, createdAt }: NewOwner): Account {
  return { ownerId, email, tier, createdAt: isoTime(createdAt) }
}

/** The account behind an API key. Throws the one 401 for everything else. */
export async function authenticateOwner(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring'>,
  presented: string,
): Promise<Owner> {
  const hashes = lookUpHashes(deps, 'account', presented)
  const owner = hashes && (await findOwnerByKey(deps.db, hashes, deps.clock.now()))
  if (!owner) throw unauthorized()
  return owner
}
