import { normalizeEmail } from '../accounts/accounts.ts'
import { findOwnerByEmail } from '../accounts/store.ts'
import { listOwnKeys, revokeAccountKey } from '../credentials/account-keys.ts'
import { MAX_ACCOUNT_KEYS } from '../credentials/rules.ts'
import type { Deps } from '../deps.ts'

type KeyDeps = Pick<Deps, 'db' | 'clock'>

/** The API keys of the account of this address that work, newest first; null where there is no such account. */
export async function keysOfAccount(deps: KeyDeps, email: string): Promise<object | null> {
  const owner = await findOwnerByEmail(deps.db, normalizeEmail(email))
  if (!owner) return null
  // Revoked ones are kept in the same number.
  const { keys } = await listOwnKeys(deps, owner, { limit: 2 * MAX_ACCOUNT_KEYS, after: null })
  const working = keys.filter(({ revokedAt }) => revokedAt === null)
  return { ...owner, keys: working.map(({ keyId, name, prefix, createdAt }) => ({ keyId, name, prefix, createdAt })) }
}

/** Ends a key of the account of this address at once; null where there is no such account. Throws where it has no such key. */
export async function revokeKeyOfAccount(
  deps: KeyDeps,
  { email, keyId }: { email: string; keyId: string },
): Promise<object | null> {
  const owner = await findOwnerByEmail(deps.db, normalizeEmail(email))
  if (!owner) return null
  const { revokedAt } = await revokeAccountKey(deps, owner, keyId)
  return { ownerId: owner.ownerId, email: owner.email, keyId, revokedAt }
}
