import type * as contract from '@svc/contract'
import { normalizeEmail, type Owner } from '../accounts/accounts.ts'
import type { LiveSession } from '../accounts/caller.ts'
import { requireAgain } from '../accounts/given-again.ts'
import { endPayments, SUBSCRIPTION } from '../billing/end-payments.ts'
import { forbidden, invalidField, limited, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { removeProject } from '../projects/store.ts'
import { endAccount } from './account-store.ts'
import type { DeletionDeps } from './deps.ts'
import { findGone, retireRuntime } from './store.ts'

/**
 * Deletes a runtime of the owner. Its keys and its addresses stop at once, on every replica; what runs is stopped, here at
 * once and elsewhere within a second. Its rows go in the background.
 */
export async function deleteRuntime(
  deps: DeletionDeps,
  { ownerId }: Owner,
  { runtimeId, confirm }: contract.DeleteRuntimeRequest & { runtimeId: string },
): Promise<contract.DeletedRuntime> {
  const now = deps.clock.now()
  const retired = await retireRuntime(deps.db, { ownerId, runtimeId, confirm, now })
  if (retired === 'absent') throw notFound('The runtime')
  if (retired === 'too many') throw limited(TOO_MANY, 60_000)
  if (retired !== 'retired') throw notConfirmed('the name of the runtime', retired.name)
  deps.running.stopWhere((owner) => owner.runtimeId === runtimeId, 'deleted')
  deps.logger.info({ ownerId, runtimeId }, 'a runtime was deleted')
  return { runtimeId, deletedAt: isoTime(now) }
}

const TOO_MANY = 'A hundred deleted runtimes of this account are still being cleared. Try again later.'

function notConfirmed(what: string, name: string) {
  return invalidField('confirm', `must be ${what}, “${name}”: it confirms what is deleted.`)
}

/** Deletes a project of the owner. It has to be empty: a runtime is deleted, or moved, by its own name. */
export async function deleteProject(
  { db, clock, logger }: DeletionDeps,
  { ownerId }: Owner,
  { projectId, confirm }: contract.DeleteProjectRequest & { projectId: string },
): Promise<contract.DeletedProject> {
  const removed = await removeProject(db, ownerId, { projectId, confirm })
  if (removed === null) throw notFound('The project')
  if (removed.outcome === 'default') throw forbidden(DEFAULT)
  if (removed.outcome === 'in use') throw forbidden(inUse(removed.runtimes))
  if (removed.outcome === 'not confirmed') throw notConfirmed('the name of the project', removed.name)
  logger.info({ ownerId, projectId }, 'a project was deleted')
  return { projectId, deletedAt: isoTime(clock.now()) }
}

const DEFAULT = 'The default project cannot be deleted: runtimes without a project go there.'

function inUse(runtimes: number): string {
  const held = runtimes === 1 ? '1 runtime' : `${runtimes} runtimes`
  return `The project has ${held}. Delete them first, or register each in another project.`
}

/**
 * Deletes the account with its members: nothing of it opens, runs or is shown from then on, and its rows go in the background. A subscription
 * that pays for its plan is cancelled first, where the request says so; otherwise nothing is deleted.
 */
export async function deleteAccount(
  deps: DeletionDeps,
  { owner, member }: LiveSession,
  { confirm, password, code, cancelSubscription = false }: contract.DeleteAccountRequest,
): Promise<contract.DeletedAccount> {
  const { ownerId, email } = owner
  if (normalizeEmail(confirm) !== email) throw notConfirmed('the e-mail address of the account', email)
  const passwordVersion = await requireAgain(deps, member, { password, code, isUsedUp: false })
  await endPayments(deps, owner, cancelSubscription)
  const now = deps.clock.now()
  const ended = { ownerId, memberId: member.memberId, passwordVersion, now, newId: deps.newId('owner') }
  const outcome = await endAccount(deps.db, ended)
  if (outcome === 'paid') throw invalidField('cancelSubscription', SUBSCRIPTION)
  if (outcome === 'pending')
    throw limited('A payment page of this account is still open. Try again in a minute.', 60_000)
  if (outcome === 'other password') throw invalidField('password', 'was changed meanwhile.')
  deps.running.stopWhere((owner) => owner.ownerId === ownerId, 'deleted')
  deps.logger.info({ ownerId }, 'an account was deleted')
  return { ownerId, deletedAt: isoTime(now) }
}

/** Stops what this replica runs for runtimes and accounts that were deleted, through whichever replica. */
export async function stopDeleted({ db, running }: Pick<DeletionDeps, 'db' | 'running'>): Promise<void> {
  const owners = [...running].flatMap(({ owner }) => owner ?? [])
  if (owners.length === 0) return
  const gone = await findGone(db, owners)
  if (gone.size === 0) return
  running.stopWhere(({ ownerId, runtimeId }) => gone.has(runtimeId) || gone.has(ownerId), 'deleted')
}
