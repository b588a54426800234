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
import { describeRoutes } from '../http/describe-routes.ts'
import { ListQuery, ProjectIdParam, RuntimeParams as params } from '../http/params.ts'
import { ownerOf, runtimeOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { RuntimeDeps } from './deps.ts'
import { registerRuntime } from './registration.ts'
import { heartbeat, listOwnRuntimes, runtimeDetail, runtimeStatus, setAllowedOrigins } from './runtimes.ts'

const describeOwnerRoute = describeRoutes('Runtimes')
const REGISTER = describeOwnerRoute('registerRuntime', 'Register a runtime, or update it', {
  description:
    'Idempotent on `runtimeId`. A new runtime answers 201 with its keys and its signing secret; one that exists answers 200 without them, and what the request leaves out stays as it was.',
  body: RegisterRuntimeRequest,
  response: { 200: UpdatedRuntime, 201: CreatedRuntime },
})
const LIST = describeOwnerRoute('listRuntimes', 'List runtimes, newest first', {
  querystring: ListQuery.extend({ projectId: ProjectIdParam.optional() }),
  response: { 200: RuntimeList },
})
const DETAIL = describeOwnerRoute('getRuntime', 'Fetch a runtime', { params, response: { 200: RuntimeDetail } })
const ORIGINS = describeOwnerRoute('setAllowedOrigins', 'Replace the list of allowed origins', {
  description: 'The origins whose pages may use the public key. An empty list lets every origin.',
  params,
  body: AllowedOriginsRequest,
  response: { 200: AllowedOrigins },
})

/** Owner plane: registering runtimes and looking at them. */
export function runtimeRoutes(plane: FastifyInstance, deps: RuntimeDeps): void {
  const routes = typed(plane)

  routes.post('/v1/runtimes', { schema: REGISTER }, async (request, reply) => {
    const runtime = await registerRuntime(deps, ownerOf(request), request.body)
    return reply.code('secret' in runtime ? 201 : 200).send(runtime)
  })

  routes.get('/v1/runtimes', { schema: LIST }, (request) => listOwnRuntimes(deps, ownerOf(request), request.query))

  routes.get('/v1/runtimes/:runtimeId', { schema: DETAIL }, (request) =>
    runtimeDetail(deps, ownerOf(request), request.params.runtimeId),
  )

  routes.put('/v1/runtimes/:runtimeId/allowed-origins', { schema: ORIGINS }, (request) =>
    setAllowedOrigins(deps, ownerOf(request), { ...request.params, ...request.body }),
  )
}

const describeDeployRoute = describeRoutes('Deployments')
const STATUS = describeDeployRoute('getRuntimeStatus', 'Look at the serving deployment, and check in', {
  response: { 200: RuntimeStatus },
})
const HEARTBEAT = describeDeployRoute('sendHeartbeat', 'Check in', { response: { 200: Heartbeat } })

/** Deploy plane: a runtime's own operator checks in. */
export function checkInRoutes(plane: FastifyInstance, deps: RuntimeDeps): void {
  const routes = typed(plane)
  routes.get('/v1/runtime/status', { schema: STATUS }, (request) => runtimeStatus(deps, runtimeOf(request)))
  routes.post('/v1/runtime/heartbeat', { schema: HEARTBEAT }, (request) => heartbeat(deps, runtimeOf(request)))
}
