import { CreateProjectRequest, Project, ProjectList, UpdateProjectRequest } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { ListQuery, ProjectIdParam } from '../http/params.ts'
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { changeProject, createProject, listOwnProjects, requireProject } from './projects.ts'

const PATH = '/v1/projects/:projectId'
const params = z.object({ projectId: ProjectIdParam })

const describeRoute = describeRoutes('Projects')
const LIST = describeRoute('listProjects', 'List projects', { querystring: ListQuery, response: { 200: ProjectList } })
const CREATE = describeRoute('createProject', 'Create a project', {
  body: CreateProjectRequest,
  response: { 201: Project },
})
const DETAIL = describeRoute('getProject', 'Fetch a project', { params, response: { 200: Project } })
const UPDATE = describeRoute('updateProject', 'Rename or describe a project', {
  params,
  body: UpdateProjectRequest,
  response: { 200: Project },
})

/** Owner plane: projects, which group runtimes for listing and analytics. */
export function projectRoutes(plane: FastifyInstance, deps: CoreDeps): void {
  const routes = typed(plane)

  routes.get('/v1/projects', { schema: LIST }, (request) => listOwnProjects(deps, ownerOf(request), request.query))

  routes.post('/v1/projects', { schema: CREATE }, async (request, reply) =>
    reply.code(201).send(await createProject(deps, ownerOf(request), request.body)),
  )

  routes.get(PATH, { schema: DETAIL }, (request) => requireProject(deps, ownerOf(request), request.params.projectId))

  routes.patch(PATH, { schema: UPDATE }, (request) =>
    changeProject(deps, ownerOf(request), { ...request.body, ...request.params }),
  )
}
