import type { DeletedProject } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { forbidden, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { removeProject } from '../projects/store.ts'
import { notConfirmed } from './delete-runtime.ts'

/** Deletes a project of the owner. It has to be empty: a runtime is deleted, or moved, by its own name. */
export async function deleteProject(
  { db, clock, logger }: Pick<CoreDeps, 'db' | 'clock' | 'logger'>,
  { ownerId }: Owner,
  { projectId, confirm }: { projectId: string; confirm: string },
): Promise<DeletedProject> {
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
