import type { Tier } from '@svc/contract'
import { lookUpHashes, mintCredential } from '../credentials/credentials.ts'
import { insertCredential } from '../credentials/store.ts'
import type { Deps } from '../deps.ts'
import { unauthorized } from '../errors.ts'
import type { Secret } from '../secrets/secret.ts'
import { ensureOwner, findOwnerByKey, type OwnerRow, updateTier } from './store.ts'

/** Who a request on the owner plane comes from. */
export type Owner = OwnerRow

/** The account of this address, made if new, and a further key for it. The tier counts for a new account only. */
export async function createOwner(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'keyring'>,
  input: { email: string; tier: Tier },
): Promise<{ owner: Owner; apiKey: Secret }> {
  const owner = await ensureOwner(deps.db, {
    ownerId: deps.newId('owner'),
    email: input.email.trim().toLowerCase(),
    tier: input.tier,
    createdAt: deps.clock.now(),
  })
  const { key, row } = mintCredential(deps, owner.ownerId, { kind: 'account', runtimeId: null })
  await insertCredential(deps.db, row)
  return { owner, apiKey: key }
}

/** Changes an account's tier; null when no account has this address. */
export function setTier(deps: Pick<Deps, 'db' | 'clock'>, input: { email: string; tier: Tier }): Promise<Owner | null> {
  const email = input.email.trim().toLowerCase()
  return updateTier(deps.db, { email, tier: input.tier, now: deps.clock.now() })
}

/** The account behind a bearer credential of the owner plane. Throws the one 401 for everything else. */
export async function authenticateOwner(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring'>,
  presented: string,
): Promise<Owner> {
  const hashes = lookUpHashes(deps, 'account', presented)
  const owner = hashes && (await findOwnerByKey(deps.db, hashes, deps.clock.now()))
  if (!owner) throw unauthorized()
  return owner
}
