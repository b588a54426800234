import type { Owner } from '../accounts/accounts.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { ensureDefaultProject, ownsProject } from './store.ts'

/** Throws 404 unless the project is the caller's: another tenant's reads as absent. */
export async function requireProject(deps: Pick<Deps, 'db'>, owner: Owner, projectId: string): Promise<void> {
  if (!(await ownsProject(deps.db, owner.ownerId, projectId))) throw notFound('The project')
}

/** The owner's default project, made on first use. */
export function defaultProject(deps: Pick<Deps, 'db' | 'newId' | 'clock'>, owner: Owner): Promise<string> {
  return ensureDefaultProject(deps.db, owner.ownerId, {
    projectId: deps.newId('project'),
    createdAt: deps.clock.now(),
  })
}
