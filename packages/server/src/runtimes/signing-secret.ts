import type { RotatedSecret, RotateSecretRequest } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { graceEnd } from '../credentials/rules.ts'
import { notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { mintSigningSecret } from '../secrets/mint.ts'
import { inTransaction } from '../store/transaction.ts'
import { addEvents } from '../webhooks/outbox-store.ts'
import { openSecrets, type SigningSecrets, secretContext } from './serving-runtime.ts'
import { findRuntimeById, replaceSecret } from './store.ts'

/** Replaces the signing secret. Until the grace period ends, calls may be signed with either; a grace of 0 deletes the old one. */
export async function rotateSecret(
  deps: CoreDeps,
  owner: Owner,
  { runtimeId, graceSeconds }: RotateSecretRequest & { runtimeId: string },
): Promise<RotatedSecret> {
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

/** The runtime's present secrets, for an execution that began before they were rotated; null when the runtime is gone. */
export async function readSecrets(
  deps: Pick<CoreDeps, 'db' | 'clock' | 'keyring'>,
  runtimeId: string,
): Promise<SigningSecrets | null> {
  const row = await findRuntimeById(deps.db, runtimeId)
  return row && openSecrets(deps, row)
}
