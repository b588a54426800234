import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'

/** True when the project exists and is this owner's. */
export async function ownsProject(db: Kysely<Schema>, ownerId: string, projectId: string): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select('project_id')
    .where('owner_id', '=', ownerId)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row !== undefined
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
    .values({
      owner_id: ownerId,
      project_id: project.projectId,
      name: 'Default',
      is_default: 1,
      created_at: project.createdAt,
      updated_at: project.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await findDefaultProject(db, ownerId)) ?? project.projectId
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
