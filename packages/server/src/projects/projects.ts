import type { CreateProjectRequest, Project, ProjectList, UpdateProjectRequest } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { forbidden, notFound } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { cutPage, type PageRequest } from '../store/page.ts'
import * as store from './store.ts'

const TOO_MANY = `An account can have ${store.MAX_PROJECTS} projects beside its default one. Rename one that is no longer needed.`

/** Throws 404 where the owner has no such project: another account's reads as absent. */
export async function requireProject(deps: Pick<CoreDeps, 'db'>, owner: Owner, projectId: string): Promise<Project> {
  return toProject(await store.findProject(deps.db, owner.ownerId, projectId))
}

/** The id of the owner's default project, which the first use creates. */
export function defaultProject(deps: CoreDeps, ownerId: string): Promise<string> {
  return store.ensureDefaultProject(deps.db, newProject(deps, ownerId, { name: 'Default', is_default: 1 }))
}

/** The owner's projects, newest first, the default one included. */
export async function listOwnProjects(deps: CoreDeps, owner: Owner, page: PageRequest): Promise<ProjectList> {
  await defaultProject(deps, owner.ownerId)
  const rows = await store.listProjects(deps.db, owner.ownerId, page)
  const { shown, nextCursor } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.project_id }))
  return { projects: shown.map(toProject), nextCursor }
}

/** Creates a project. Names may repeat. Throws 403 where the account has its maximum. */
export async function createProject(deps: CoreDeps, owner: Owner, request: CreateProjectRequest): Promise<Project> {
  deps.diskSpace.require()
  const { name, description = null } = request
  const row = newProject(deps, owner.ownerId, { name, description, is_default: 0 })
  if (!(await store.insertProject(deps.db, row))) throw forbidden(TOO_MANY)
  return toProject({ ...row, runtime_count: 0 })
}

/** Changes the name or the description of a project. Throws 404 where the owner has no such project. */
export async function changeProject(
  deps: CoreDeps,
  owner: Owner,
  { projectId, name, description }: UpdateProjectRequest & { projectId: string },
): Promise<Project> {
  const changes = { name, description, updated_at: deps.clock.now() }
  return toProject(await store.updateProject(deps.db, owner.ownerId, projectId, changes))
}

type Fields = { name: string; description?: string | null; is_default: 0 | 1 }

function newProject({ newId, clock }: CoreDeps, ownerId: string, fields: Fields) {
  const now = clock.now()
  const ids = { owner_id: ownerId, project_id: newId('project') }
  return { ...ids, description: null, ...fields, created_at: now, updated_at: now }
}

function toProject(row: store.ProjectRow | null): Project {
  if (!row) throw notFound('The project')
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
