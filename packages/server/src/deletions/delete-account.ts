import type { DeleteAccountRequest, DeletedAccount } from '@svc/contract'
import { normalizeEmail } from '../accounts/accounts.ts'
import type { LiveSession } from '../accounts/caller.ts'
import { requireAgain } from '../accounts/given-again.ts'
import { endPayments, SUBSCRIPTION } from '../billing/end-payments.ts'
import { invalidField, limited } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { endAccount } from './account-store.ts'
import { notConfirmed } from './delete-runtime.ts'
import type { DeletionDeps } from './deps.ts'

/**
 * Deletes the account with its members: nothing of it opens, runs or is shown from then on, and its rows go in the background. A subscription
 * that pays for its plan is cancelled first, where the request says so; otherwise nothing is deleted.
 */
export async function deleteAccount(
  deps: DeletionDeps,
  { owner, member }: LiveSession,
  { confirm, password, code, cancelSubscription = false }: DeleteAccountRequest,
): Promise<DeletedAccount> {
  const { ownerId, email } = owner
  if (normalizeEmail(confirm) !== email) throw notConfirmed('the e-mail address of the account', email)
  const passwordVersion = await requireAgain(deps, member, { password, code, isUsedUp: false })
  await endPayments(deps, owner, { cancelSubscription })
  const now = deps.clock.now()
  const outcome = await endAccount(deps.db, {
    ...{ ownerId, memberId: member.memberId, passwordVersion },
    ...{ now, newId: deps.newId('owner') },
  })
  if (outcome === 'paid') throw invalidField('cancelSubscription', SUBSCRIPTION)
  if (outcome === 'pending')
    throw limited('A payment page of this account is still open. Try again in a minute.', 60_000)
  if (outcome === 'other password') throw invalidField('password', 'was changed meanwhile.')
  deps.running.stopWhere((place) => place.ownerId === ownerId, 'deleted')
  deps.logger.info({ ownerId }, 'an account was deleted')
  return { ownerId, deletedAt: isoTime(now) }
}
