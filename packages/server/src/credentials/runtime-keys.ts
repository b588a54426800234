import type * as contract from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { keyNotRevealable, keyRevoked, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { secretContext } from '../runtimes/serving-runtime.ts'
import { findRuntime, replaceSecret } from '../runtimes/store.ts'
import { mintSigningSecret } from '../secrets/mint.ts'
import { inTransaction } from '../store/transaction.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import { keyContext, mintCredential } from './credentials.ts'
import { graceEnd } from './rules.ts'
import { findCurrentKey, type KeyPlace, keyEvent, replaceKey, revokeKeys } from './runtime-key-store.ts'

type OfRuntime<Request> = Request & { runtimeId: string }

/** The current key in full. Throws 404 where it was revoked, or where only its hash is stored. */
export async function revealKey(
  deps: CoreDeps,
  owner: Owner,
  request: OfRuntime<contract.RevealKeyRequest>,
): Promise<contract.RevealedKey> {
  const { type, runtimeId } = request
  if (!(await findRuntime(deps.db, owner.ownerId, runtimeId))) throw notFound('The runtime')
  const current = await findCurrentKey(deps.db, placeOf(owner, request))
  if (!current) throw keyRevoked(type)
  if (current.sealed === null) throw keyNotRevealable(type)
  const key = deps.keyring.open(current.sealed, keyContext(current.credential_id))
  const event = keyEvent('key.revealed', placeOf(owner, request), { prefix: current.prefix, at: deps.clock.now() })
  await inTransaction(deps.db, (tx) => addEvents(tx, () => deps.newId('delivery'), [event]))
  return { type, key: key.reveal(), prefix: current.prefix }
}

/** Replaces the current key, which works until the grace ends; the key before it stops working now. */
export async function rotateKey(
  deps: CoreDeps,
  owner: Owner,
  request: OfRuntime<contract.RotateKeyRequest>,
): Promise<contract.RotatedKey> {
  const { type, runtimeId } = request
  const now = deps.clock.now()
  const previousEndsAt = graceEnd(now, request.graceSeconds)
  const { key, row } = mintCredential(deps, owner.ownerId, { kind: type, runtimeId })
  const replacement = { next: row, now, previousEndsAt, newEventId: () => deps.newId('delivery') }
  const replaced = await replaceKey(deps.db, placeOf(owner, request), replacement)
  if (!replaced) throw notFound('The runtime')
  const previousKeyExpiresAt = replaced.hadCurrent ? isoTime(previousEndsAt) : null
  return { type, key: key.reveal(), prefix: row.prefix, previousKeyExpiresAt }
}

/** Revokes the current and the previous key. Idempotent: a second call returns the time of the first. */
export async function revokeKey(
  deps: CoreDeps,
  owner: Owner,
  request: OfRuntime<contract.RevokeKeyRequest>,
): Promise<contract.RevokedKey> {
  const revokedAt = await revokeKeys(deps.db, placeOf(owner, request), deps.clock.now())
  if (revokedAt === null) throw notFound('The runtime')
  return { type: request.type, revokedAt: isoTime(revokedAt) }
}

/** Replaces the signing secret. Until the grace period ends, calls may be signed with either; a grace of 0 deletes the old one. */
export async function rotateSecret(
  deps: CoreDeps,
  owner: Owner,
  { runtimeId, graceSeconds }: OfRuntime<contract.RotateSecretRequest>,
): Promise<contract.RotatedSecret> {
  const now = deps.clock.now()
  const previousEndsAt = graceEnd(now, graceSeconds)
  const secret = mintSigningSecret()
  const replacement = {
    runtimeId,
    sealed: deps.keyring.seal(secret, secretContext(runtimeId)),
    previousEndsAt: previousEndsAt > now ? previousEndsAt : null,
    now,
  }
  const isReplaced = await inTransaction(deps.db, async (tx) => {
    const replaced = await replaceSecret(tx, owner.ownerId, replacement)
    const data = { keyType: 'signing-secret', prefix: null }
    const event = { ownerId: owner.ownerId, runtimeId, type: 'key.rotated', data, at: now } as const
    if (replaced) await addEvents(tx, () => deps.newId('delivery'), [event])
    return replaced
  })
  if (!isReplaced) throw notFound('The runtime')
  return { secret: secret.reveal(), previousSecretExpiresAt: isoTime(previousEndsAt) }
}

function placeOf({ ownerId }: Owner, { runtimeId, type }: OfRuntime<contract.RevealKeyRequest>): KeyPlace {
  return { owner_id: ownerId, runtime_id: runtimeId, kind: type }
}
