import { CreateProjectRequest, Project, ProjectList, UpdateProjectRequest } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { encodeCursor } from '../http/page.ts'
import { ListQuery, ProjectIdParam } from '../http/params.ts'
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { ProjectDeps } from './deps.ts'
import { changeProject, createProject, listOwnProjects, projectDetail } from './projects.ts'

const PATH = '/v1/projects/:projectId'
const Params = z.object({ projectId: ProjectIdParam })

const LIST = {
  summary: 'List projects',
  tags: ['Projects'],
  operationId: 'listProjects',
  querystring: ListQuery,
  response: { 200: ProjectList },
} as const

const CREATE = {
  summary: 'Create a project',
  tags: ['Projects'],
  operationId: 'createProject',
  body: CreateProjectRequest,
  response: { 201: Project },
} as const

const DETAIL = {
  summary: 'Fetch a project',
  tags: ['Projects'],
  operationId: 'getProject',
  params: Params,
  response: { 200: Project },
} as const

const UPDATE = {
  summary: 'Rename or describe a project',
  tags: ['Projects'],
  operationId: 'updateProject',
  params: Params,
  body: UpdateProjectRequest,
  response: { 200: Project },
} as const

/** Owner plane: projects, which group runtimes for listing and analytics. */
export function projectRoutes(plane: FastifyInstance, deps: ProjectDeps): void {
  const routes = typed(plane)

  routes.get('/v1/projects', { schema: LIST }, async (request): Promise<ProjectList> => {
    const { limit, cursor } = request.query
    const page = await listOwnProjects(deps, ownerOf(request), { limit, after: cursor })
    return { projects: page.projects, nextCursor: encodeCursor(page.next) }
  })

  routes.post('/v1/projects', { schema: CREATE }, async (request, reply) => {
    const project = await createProject(deps, ownerOf(request), request.body)
    reply.code(201)
    return project
  })

  routes.get(PATH, { schema: DETAIL }, (request) => projectDetail(deps, ownerOf(request), request.params.projectId))

  routes.patch(PATH, { schema: UPDATE }, (request) =>
    changeProject(deps, ownerOf(request), { projectId: request.params.projectId, changes: request.body }),
  )
}
