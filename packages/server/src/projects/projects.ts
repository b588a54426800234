import type { CreateProjectRequest, Project, UpdateProjectRequest } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { forbidden, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { cutPage, type PageRequest, type PageStart } from '../store/page.ts'
import type { ProjectDeps } from './deps.ts'
import { TOO_MANY_PROJECTS } from './rules.ts'
import {
  ensureDefaultProject,
  findProject,
  insertProject,
  listProjects,
  type ProjectRow,
  updateProject,
} from './store.ts'

/** Throws 404 unless the project is the caller's: another account's project reads as absent. */
export async function requireProject(deps: Pick<ProjectDeps, 'db'>, owner: Owner, projectId: string): Promise<void> {
  if (!(await findProject(deps.db, owner.ownerId, projectId))) throw notFound('The project')
}

/** The id of the owner's default project, which the first use creates. */
export function defaultProject(deps: Omit<ProjectDeps, 'room'>, owner: Owner): Promise<string> {
  return ensureDefaultProject(deps.db, newProject(deps, owner, { name: 'Default', is_default: 1 }))
}

/** The owner's projects, newest first, the default one included. */
export async function listOwnProjects(
  deps: Omit<ProjectDeps, 'room'>,
  owner: Owner,
  page: PageRequest,
): Promise<{ projects: Project[]; next: PageStart | null }> {
  await defaultProject(deps, owner)
  const rows = await listProjects(deps.db, owner.ownerId, { ...page, limit: page.limit + 1 })
  const { shown, next } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.project_id }))
  return { projects: shown.map(toProject), next }
}

/** Throws 404 where the owner has no such project. */
export async function projectDetail(deps: Pick<ProjectDeps, 'db'>, owner: Owner, projectId: string): Promise<Project> {
  return found(await findProject(deps.db, owner.ownerId, projectId))
}

/** Creates a project. Names may repeat. Throws 403 where the account has its maximum. */
export async function createProject(
  deps: ProjectDeps,
  owner: Owner,
  { name, description }: CreateProjectRequest,
): Promise<Project> {
  deps.room.require()
  const row = newProject(deps, owner, { name, description: description ?? null, is_default: 0 })
  if (!(await insertProject(deps.db, row))) throw forbidden(TOO_MANY_PROJECTS)
  return toProject({ ...row, runtime_count: 0 })
}

/** Changes the name or the description of any project of the owner. Throws 404 where there is no such project. */
export async function changeProject(
  deps: Pick<ProjectDeps, 'db' | 'clock'>,
  owner: Owner,
  { projectId, changes }: { projectId: string; changes: UpdateProjectRequest },
): Promise<Project> {
  const { name, description } = changes
  const updated_at = deps.clock.now()
  return found(await updateProject(deps.db, owner.ownerId, { projectId, name, description, updated_at }))
}

function newProject(
  { newId, clock }: Pick<ProjectDeps, 'newId' | 'clock'>,
  { ownerId }: Owner,
  fields: { name: string; description?: string | null; is_default: 0 | 1 },
) {
  const now = clock.now()
  const ids = { owner_id: ownerId, project_id: newId('project') }
  return { ...ids, description: null, ...fields, created_at: now, updated_at: now }
}

function found(row: ProjectRow | null): Project {
  if (!row) throw notFound('The project')
  return toProject(row)
}

function toProject(row: ProjectRow): Project {
  return {
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    isDefault: row.is_default === 1,
    runtimeCount: row.runtime_count,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  }
}
