import type { CreateProjectRequest, Project, UpdateProjectRequest } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { cutPage, type PageStart } from '../database/page.ts'
import type { Deps } from '../deps.ts'
import { forbidden, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { projectCeilingProblem } from './rules.ts'
import {
  countRuntimes,
  ensureDefaultProject,
  findProject,
  insertProject,
  listProjects,
  ownsProject,
  type ProjectRow,
  updateProject,
} from './store.ts'

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

/** The owner's projects, newest first, and where the next page begins. Looking is a use: the default one is made for it. */
export async function listOwnProjects(
  deps: Pick<Deps, 'db' | 'newId' | 'clock'>,
  owner: Owner,
  page: { limit: number; after: PageStart | null },
): Promise<{ projects: Project[]; next: PageStart | null }> {
  await defaultProject(deps, owner)
  const rows = await listProjects(deps.db, owner.ownerId, { limit: page.limit + 1, after: page.after })
  const { shown, next } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.project_id }))
  return { projects: await withRuntimeCounts(deps, owner, shown), next }
}

/** One of the owner's projects. Throws 404 otherwise. */
export async function projectDetail(deps: Pick<Deps, 'db'>, owner: Owner, projectId: string): Promise<Project> {
  const row = await findProject(deps.db, owner.ownerId, projectId)
  const [project] = row ? await withRuntimeCounts(deps, owner, [row]) : []
  if (!project) throw notFound('The project')
  return project
}

/** Makes a project. Names may repeat: the id tells projects apart. Throws 403 where the account has its full number. */
export async function createProject(
  deps: Pick<Deps, 'db' | 'newId' | 'clock' | 'room'>,
  owner: Owner,
  request: CreateProjectRequest,
): Promise<Project> {
  deps.room.require()
  const project = {
    projectId: deps.newId('project'),
    name: request.name,
    description: request.description ?? null,
    createdAt: deps.clock.now(),
  }
  const creation = await insertProject(deps.db, owner.ownerId, project, projectCeilingProblem)
  if (!creation.ok) throw forbidden(creation.problem)
  return toProject(creation.row, 0)
}

/** Renames or describes one of the owner's projects, the default one too. Throws 404 when there is none. */
export async function changeProject(
  deps: Pick<Deps, 'db' | 'clock'>,
  owner: Owner,
  input: { projectId: string; changes: UpdateProjectRequest },
): Promise<Project> {
  const changed = await updateProject(deps.db, owner.ownerId, { ...input, updatedAt: deps.clock.now() })
  if (!changed) throw notFound('The project')
  return toProject(changed.row, changed.runtimeCount)
}

async function withRuntimeCounts(
  deps: Pick<Deps, 'db'>,
  owner: Owner,
  rows: readonly ProjectRow[],
): Promise<Project[]> {
  const counts = await countRuntimes(
    deps.db,
    owner.ownerId,
    rows.map((row) => row.project_id),
  )
  return rows.map((row) => toProject(row, counts.get(row.project_id) ?? 0))
}

function toProject(row: ProjectRow, runtimeCount: number): Project {
  return {
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    isDefault: row.is_default === 1,
    runtimeCount,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  }
}
