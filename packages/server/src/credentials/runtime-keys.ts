import type {
  RevealedKey,
  RevealKeyRequest,
  RevokedKey,
  RevokeKeyRequest,
  RotatedKey,
  RotateKeyRequest,
} from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { Deps } from '../deps.ts'
import { keyNotRevealable, keyRevoked, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { findRuntime } from '../runtimes/store.ts'
import { keyContext, mintCredential } from './credentials.ts'
import { graceEnd } from './rules.ts'
import { findCurrentKey, replaceKey, revokeKeys } from './runtime-key-store.ts'

type OfRuntime<Request> = Request & { runtimeId: string }

/** A current key in full. Throws 404 for one that was revoked and for one that is kept as a hash only. */
export async function revealKey(
  deps: Pick<Deps, 'db' | 'keyring'>,
  owner: Owner,
  { runtimeId, type }: OfRuntime<RevealKeyRequest>,
): Promise<RevealedKey> {
  if (!(await findRuntime(deps.db, owner.ownerId, runtimeId))) throw notFound('The runtime')
  const current = await findCurrentKey(deps.db, owner.ownerId, { runtimeId, type })
  if (!current) throw keyRevoked(type)
  if (current.sealed === null) throw keyNotRevealable(type)
  const key = deps.keyring.open(current.sealed, keyContext(current.credentialId))
  return { type, key: key.reveal(), prefix: current.prefix }
}

/** A new key in the place of the current one, which goes on working for the grace; one that came before that ends at once. */
export async function rotateKey(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'keyring'>,
  owner: Owner,
  { runtimeId, type, graceSeconds }: OfRuntime<RotateKeyRequest>,
): Promise<RotatedKey> {
  const now = deps.clock.now()
  const previousEndsAt = graceEnd(now, graceSeconds)
  const { key, row } = mintCredential(deps, owner.ownerId, { kind: type, runtimeId })
  const place = { runtimeId, type }
  const replaced = await replaceKey(deps.db, owner.ownerId, { place, next: row, now, previousEndsAt })
  if (!replaced) throw notFound('The runtime')
  const previousKeyExpiresAt = replaced.hadCurrent ? isoTime(previousEndsAt) : null
  return { type, key: key.reveal(), prefix: row.prefix, previousKeyExpiresAt }
}

/** Ends the current and the previous key at once. To revoke again changes nothing and answers the same. */
export async function revokeKey(
  deps: Pick<Deps, 'db' | 'clock'>,
  owner: Owner,
  { runtimeId, type }: OfRuntime<RevokeKeyRequest>,
): Promise<RevokedKey> {
  const place = { runtimeId, type }
  const revoked = await revokeKeys(deps.db, owner.ownerId, { place, now: deps.clock.now() })
  if (!revoked) throw notFound('The runtime')
  return { type, revokedAt: isoTime(revoked.revokedAt) }
}
