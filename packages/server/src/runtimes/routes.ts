import {
  AllowedOrigins,
  AllowedOriginsRequest,
  CreatedRuntime,
  Heartbeat,
  RegisterRuntimeRequest,
  RuntimeDetail,
  RuntimeList,
  RuntimeStatus,
  UpdatedRuntime,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { encodeCursor } from '../http/page.ts'
import { ListQuery, ProjectIdParam, RuntimeParams } from '../http/params.ts'
import { ownerOf, runtimeOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { RuntimeDeps } from './deps.ts'
import { registerRuntime } from './registration.ts'
import { heartbeat, listOwnRuntimes, runtimeDetail, runtimeStatus, setAllowedOrigins } from './runtimes.ts'

const RuntimesQuery = ListQuery.extend({ projectId: ProjectIdParam.optional() })

const REGISTER = {
  summary: 'Register a runtime, or update it',
  description:
    'Idempotent on `runtimeId`. A new runtime answers 201 with its keys and its signing secret; one that exists answers 200 without them, and what the request leaves out stays as it was.',
  tags: ['Runtimes'],
  operationId: 'registerRuntime',
  body: RegisterRuntimeRequest,
  response: { 200: UpdatedRuntime, 201: CreatedRuntime },
} as const

const LIST = {
  summary: 'List runtimes, newest first',
  tags: ['Runtimes'],
  operationId: 'listRuntimes',
  querystring: RuntimesQuery,
  response: { 200: RuntimeList },
} as const

const DETAIL = {
  summary: 'Fetch a runtime',
  tags: ['Runtimes'],
  operationId: 'getRuntime',
  params: RuntimeParams,
  response: { 200: RuntimeDetail },
} as const

const ORIGINS = {
  summary: 'Replace the list of allowed origins',
  description: 'The origins whose pages may use the public key. An empty list lets every origin.',
  tags: ['Runtimes'],
  operationId: 'setAllowedOrigins',
  params: RuntimeParams,
  body: AllowedOriginsRequest,
  response: { 200: AllowedOrigins },
} as const

/** Owner plane: registering runtimes and looking at them. */
export function runtimeRoutes(plane: FastifyInstance, deps: RuntimeDeps): void {
  const routes = typed(plane)

  routes.post('/v1/runtimes', { schema: REGISTER }, async (request, reply) => {
    const registration = await registerRuntime(deps, ownerOf(request), request.body)
    reply.code(registration.created ? 201 : 200)
    return registration.runtime
  })

  routes.get('/v1/runtimes', { schema: LIST }, async (request): Promise<RuntimeList> => {
    const { limit, cursor, projectId } = request.query
    const page = await listOwnRuntimes(deps, ownerOf(request), { limit, after: cursor, projectId })
    return { runtimes: page.runtimes, nextCursor: encodeCursor(page.next) }
  })

  routes.get('/v1/runtimes/:runtimeId', { schema: DETAIL }, (request) =>
    runtimeDetail(deps, ownerOf(request), request.params.runtimeId),
  )

  routes.put('/v1/runtimes/:runtimeId/allowed-origins', { schema: ORIGINS }, (request) =>
    setAllowedOrigins(deps, ownerOf(request), { runtimeId: request.params.runtimeId, origins: request.body.origins }),
  )
}

const STATUS = {
  summary: 'Look at the serving deployment, and check in',
  tags: ['Deployments'],
  operationId: 'getRuntimeStatus',
  response: { 200: RuntimeStatus },
} as const

const HEARTBEAT = {
  summary: 'Check in',
  tags: ['Deployments'],
  operationId: 'sendHeartbeat',
  response: { 200: Heartbeat },
} as const

/** Deploy plane: a runtime's own operator checks in. */
export function checkInRoutes(plane: FastifyInstance, deps: RuntimeDeps): void {
  const routes = typed(plane)
  routes.get('/v1/runtime/status', { schema: STATUS }, (request) => runtimeStatus(deps, runtimeOf(request)))
  routes.post('/v1/runtime/heartbeat', { schema: HEARTBEAT }, (request) => heartbeat(deps, runtimeOf(request)))
}
