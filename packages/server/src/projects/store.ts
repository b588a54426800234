import type { Kysely, Selectable } from 'kysely'
import type { PageStart } from '../database/page.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'

export type ProjectRow = Selectable<Schema['projects']>

/** True when the project exists and is this owner's. */
export async function ownsProject(db: Kysely<Schema>, ownerId: string, projectId: string): Promise<boolean> {
  return (await findProject(db, ownerId, projectId)) !== null
}

/** One project of this owner, or null. */
export async function findProject(db: Kysely<Schema>, ownerId: string, projectId: string): Promise<ProjectRow | null> {
  const row = await db
    .selectFrom('projects')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row ?? null
}

/** Projects of this owner, newest first, `limit` of them after the cursor. */
export async function listProjects(
  db: Kysely<Schema>,
  ownerId: string,
  { limit, after }: { limit: number; after: PageStart | null },
): Promise<ProjectRow[]> {
  const all = db
    .selectFrom('projects')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('project_id', 'desc')
    .limit(limit)
  if (!after) return all.execute()
  return all
    .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'project_id'), '<', tuple(after.at, after.id)))
    .execute()
}

/** How many runtimes each of these projects holds; one that holds none is left out. */
export async function countRuntimes(
  db: Kysely<Schema>,
  ownerId: string,
  projectIds: readonly string[],
): Promise<Map<string, number>> {
  if (projectIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('runtimes')
    .select((eb) => ['project_id', eb.fn.countAll<number>().as('count')])
    .where('owner_id', '=', ownerId)
    .where('project_id', 'in', projectIds)
    .groupBy('project_id')
    .execute()
  return new Map(rows.map((row) => [row.project_id, Number(row.count)]))
}

export interface NewProject {
  projectId: string
  name: string
  description: string | null
  createdAt: number
}

export type ProjectCreation = { ok: true; row: ProjectRow } | { ok: false; problem: string }

/**
 * Makes a project unless `ceilingProblem` objects to the number there is, the default one left out. The owner's row is
 * locked, so any number at once cannot pass the ceiling.
 */
export async function insertProject(
  db: Kysely<Schema>,
  ownerId: string,
  project: NewProject,
  ceilingProblem: (projectCount: number) => string | null,
): Promise<ProjectCreation> {
  return inTransaction(db, async (tx) => {
    await tx
      .selectFrom('owners')
      .select('owner_id')
      .where('owner_id', '=', ownerId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const { count } = await tx
      .selectFrom('projects')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('owner_id', '=', ownerId)
      .where('is_default', '=', 0)
      .executeTakeFirstOrThrow()
    const problem = ceilingProblem(Number(count))
    if (problem !== null) return { ok: false, problem }
    const row = await tx
      .insertInto('projects')
      .values({ ...toRow(ownerId, project), is_default: 0 })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { ok: true, row }
  })
}

/**
 * Changes what is given, a description of null included. Returns the changed row and how many runtimes the project holds, or
 * null when this owner has no such project. Counted in the one transaction: after it nothing is left that could fail.
 */
export async function updateProject(
  db: Kysely<Schema>,
  ownerId: string,
  input: {
    projectId: string
    changes: { name?: string | undefined; description?: string | null | undefined }
    updatedAt: number
  },
): Promise<{ row: ProjectRow; runtimeCount: number } | null> {
  const { projectId, changes, updatedAt } = input
  const { name, description } = changes
  return inTransaction(db, async (tx) => {
    const row = await tx
      .updateTable('projects')
      .set({
        updated_at: updatedAt,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      })
      .where('owner_id', '=', ownerId)
      .where('project_id', '=', projectId)
      .returningAll()
      .executeTakeFirst()
    if (!row) return null
    const counts = await countRuntimes(tx, ownerId, [projectId])
    return { row, runtimeCount: counts.get(projectId) ?? 0 }
  })
}

/** The id of the owner's default project, made when there is none yet. Many at once make one. */
export async function ensureDefaultProject(
  db: Kysely<Schema>,
  ownerId: string,
  project: { projectId: string; createdAt: number },
): Promise<string> {
  const existing = await findDefaultProject(db, ownerId)
  if (existing) return existing
  await db
    .insertInto('projects')
    .values({ ...toRow(ownerId, { ...project, name: 'Default', description: null }), is_default: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const made = await findDefaultProject(db, ownerId)
  if (!made) throw new Error('a default project was made and is not there')
  return made
}

async function findDefaultProject(db: Kysely<Schema>, ownerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('projects')
    .select('project_id')
    .where('owner_id', '=', ownerId)
    .where('is_default', '=', 1)
    .executeTakeFirst()
  return row?.project_id
}

function toRow(ownerId: string, { projectId, name, description, createdAt }: NewProject) {
  return {
    owner_id: ownerId,
    project_id: projectId,
    name,
    description,
    created_at: createdAt,
    updated_at: createdAt,
  }
}
