import type { Insertable, Selectable, Updateable } from 'kysely'
import { type PageRequest, pageBy } from '../store/page.ts'
import { firstRow, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'

/** Projects of an account, its default one left out. A page of the listing shows them all. */
export const MAX_PROJECTS = 100

export type ProjectRow = Selectable<Schema['projects']> & { runtime_count: number }

type NewProject = Insertable<Schema['projects']>

export async function hasProject(db: Db, owner_id: string, project_id: string): Promise<boolean> {
  const own = matching('projects', { owner_id, project_id })
  return (await firstRow(db.selectFrom('projects').select('project_id').where(own))) !== null
}

export function findProject(db: Db, ownerId: string, projectId: string): Promise<ProjectRow | null> {
  return firstRow(projectsOf(db, ownerId).where('project_id', '=', projectId))
}

/** A page of this owner's projects, newest first, and the row after it. */
export function listProjects(db: Db, ownerId: string, page: PageRequest): Promise<ProjectRow[]> {
  return projectsOf(db, ownerId)
    .$call(pageBy('created_at', 'project_id', page))
    .execute()
}

/** Adds a project; false where the account has {@link MAX_PROJECTS}. The lock keeps concurrent requests below the limit. */
export function insertProject(db: Db, project: NewProject): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, project.owner_id)
    const counted = matching('projects', { owner_id: project.owner_id, is_default: 0 })
    const others = tx.selectFrom('projects').select('project_id').where(counted)
    if ((await others.limit(MAX_PROJECTS).execute()).length >= MAX_PROJECTS) return false
    await tx.insertInto('projects').values(project).execute()
    return true
  })
}

/** Changes the given fields; null where this owner has no such project. */
export function updateProject(db: Db, ownerId: string, projectId: string, changes: Updateable<Schema['projects']>) {
  // One transaction: once the change is committed, nothing is left that could fail.
  return inTransaction(db, async (tx) => {
    const own = matching('projects', { owner_id: ownerId, project_id: projectId })
    await tx.updateTable('projects').set(changes).where(own).execute()
    return findProject(tx, ownerId, projectId)
  })
}

type Removed =
  | { outcome: 'removed' | 'default' }
  | { outcome: 'in use'; runtimes: number }
  | { outcome: 'not confirmed'; name: string }

/** Deletes an empty project; null where this owner has no such one. The lock keeps runtimes from being added meanwhile. */
export function removeProject(
  db: Db,
  ownerId: string,
  { projectId, confirm }: { projectId: string; confirm: string },
): Promise<Removed | null> {
  return inTransaction(db, async (tx): Promise<Removed | null> => {
    await lockOwner(tx, ownerId)
    const project = await findProject(tx, ownerId, projectId)
    if (!project) return null
    const { is_default: isDefault, runtime_count: runtimes, name } = project
    if (isDefault === 1) return { outcome: 'default' }
    if (runtimes > 0) return { outcome: 'in use', runtimes }
    if (name !== confirm) return { outcome: 'not confirmed', name }
    await tx
      .deleteFrom('projects')
      .where(matching('projects', { owner_id: ownerId, project_id: projectId }))
      .execute()
    return { outcome: 'removed' }
  })
}

/** The id of the owner's default project, which is `project` where there was none. Concurrent calls add one. */
export async function ensureDefaultProject(db: Db, project: NewProject): Promise<string> {
  const own = matching('projects', { owner_id: project.owner_id, is_default: 1 })
  const find = db.selectFrom('projects').select('project_id').where(own)
  const existing = await firstRow(find)
  if (existing) return existing.project_id
  const inserting = db.insertInto('projects').values(project)
  await inserting.onConflict((conflict) => conflict.doNothing()).execute()
  return (await find.executeTakeFirstOrThrow()).project_id
}

function projectsOf(db: Db, ownerId: string) {
  return db
    .selectFrom('projects')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('runtimes')
        .select((runtime) => runtime.fn.countAll<number>().as('count'))
        .where('runtimes.owner_id', '=', ownerId)
        .whereRef('runtimes.project_id', '=', 'projects.project_id')
        .$asScalar()
        .$notNull()
        .as('runtime_count'),
    )
    .where('owner_id', '=', ownerId)
}
