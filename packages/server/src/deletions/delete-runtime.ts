import type { DeletedRuntime } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { invalidField, limited, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { DeletionDeps } from './deps.ts'
import { retireRuntime } from './store.ts'

/**
 * Deletes a runtime of the owner. Its keys and its addresses stop at once, on every replica; what runs is stopped, here at
 * once and elsewhere within a second. Its rows go in the background.
 */
export async function deleteRuntime(
  deps: Pick<DeletionDeps, 'db' | 'clock' | 'logger' | 'running'>,
  { ownerId }: Owner,
  { runtimeId, confirm }: { runtimeId: string; confirm: string },
): Promise<DeletedRuntime> {
  const now = deps.clock.now()
  const retired = await retireRuntime(deps.db, { ownerId, runtimeId, confirm, now })
  if (retired === 'absent') throw notFound('The runtime')
  if (retired === 'too many') throw limited(TOO_MANY, 60_000)
  if (retired !== 'retired') throw notConfirmed('the name of the runtime', retired.name)
  deps.running.stopWhere((place) => place.runtimeId === runtimeId, 'deleted')
  deps.logger.info({ ownerId, runtimeId }, 'a runtime was deleted')
  return { runtimeId, deletedAt: isoTime(now) }
}

const TOO_MANY = 'A hundred deleted runtimes of this account are still being cleared. Try again later.'

export function notConfirmed(what: string, name: string) {
  return invalidField('confirm', `must be ${what}, “${name}”: it confirms what is deleted.`)
}
