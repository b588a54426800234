import type { Insertable, Selectable } from 'kysely'
import { afterCursor, type PageRequest } from '../store/page.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { MAX_PROJECTS } from './rules.ts'

export type ProjectRow = Selectable<Schema['projects']> & { runtime_count: number }

type NewProject = Insertable<Schema['projects']>

export async function findProject(db: Db, ownerId: string, projectId: string): Promise<ProjectRow | null> {
  return (await projectsOf(db, ownerId).where('project_id', '=', projectId).executeTakeFirst()) ?? null
}

/** Projects of this owner, newest first. */
export function listProjects(db: Db, ownerId: string, { limit, after }: PageRequest): Promise<ProjectRow[]> {
  return projectsOf(db, ownerId)
    .where(afterCursor('created_at', 'project_id', after))
    .orderBy('created_at', 'desc')
    .orderBy('project_id', 'desc')
    .limit(limit)
    .execute()
}

/** Adds a project; false where the account has {@link MAX_PROJECTS}. The lock keeps concurrent requests below the limit. */
export function insertProject(db: Db, project: NewProject): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, project.owner_id)
    const { count } = await tx
      .selectFrom('projects')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('owner_id', '=', project.owner_id)
      .where('is_default', '=', 0)
      .executeTakeFirstOrThrow()
    if (count >= MAX_PROJECTS) return false
    await tx.insertInto('projects').values(project).execute()
    return true
  })
}

/** Changes the given fields; null where this owner has no such project. */
export function updateProject(
  db: Db,
  ownerId: string,
  {
    projectId,
    ...changes
  }: {
    projectId: string
    name: string | undefined
    description: string | null | undefined
    updated_at: number
  },
): Promise<ProjectRow | null> {
  // One transaction: once the change is committed, nothing is left that could fail.
  return inTransaction(db, async (tx) => {
    await tx
      .updateTable('projects')
      .set(changes)
      .where('owner_id', '=', ownerId)
      .where('project_id', '=', projectId)
      .execute()
    return findProject(tx, ownerId, projectId)
  })
}

/** The id of the owner's default project, which is `project` where there was none. Concurrent calls add one. */
export async function ensureDefaultProject(db: Db, project: NewProject): Promise<string> {
  const existing = await findDefaultProject(db, project.owner_id)
  if (existing) return existing
  await db
    .insertInto('projects')
    .values(project)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const added = await findDefaultProject(db, project.owner_id)
  if (!added) throw new Error('the default project is missing after its insert')
  return added
}

async function findDefaultProject(db: Db, ownerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('projects')
    .select('project_id')
    .where('owner_id', '=', ownerId)
    .where('is_default', '=', 1)
    .executeTakeFirst()
  return row?.project_id
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
