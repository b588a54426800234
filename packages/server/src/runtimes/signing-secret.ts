import type { RotatedSecret, RotateSecretRequest } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { graceEnd } from '../credentials/rules.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { mintSigningSecret } from '../secrets/mint.ts'
import { openSecrets, type SigningSecrets, secretContext } from './serving-runtime.ts'
import { findServedRuntime, replaceSecret } from './store.ts'

/**
 * A new signing secret. Within the grace, a call that the endpoint refuses under one of the two is signed anew with the
 * other; a grace of 0 forgets the old one.
 */
export async function rotateSecret(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring'>,
  owner: Owner,
  { runtimeId, graceSeconds }: RotateSecretRequest & { runtimeId: string },
): Promise<RotatedSecret> {
  const now = deps.clock.now()
  const previousEndsAt = graceEnd(now, graceSeconds)
  const secret = mintSigningSecret()
  const isReplaced = await replaceSecret(deps.db, owner.ownerId, {
    runtimeId,
    sealed: deps.keyring.seal(secret, secretContext(runtimeId)),
    previousEndsAt: previousEndsAt > now ? previousEndsAt : null,
    now,
  })
  if (!isReplaced) throw notFound('The runtime')
  return { secret: secret.reveal(), previousSecretExpiresAt: isoTime(previousEndsAt) }
}

/** The secrets that a runtime has by now, for an execution that began before they were rotated; null when it is gone. */
export async function readSecrets(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring'>,
  runtimeId: string,
): Promise<SigningSecrets | null> {
  const row = await findServedRuntime(deps.db, runtimeId)
  return row && openSecrets(deps, row)
}
