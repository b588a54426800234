import { AllowedOriginsRequest, RegisterRuntimeRequest, type RuntimeList } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { encodeCursor, PageCursor, PageLimit } from '../http/page.ts'
import { ownerOf, runtimeOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { registerRuntime } from './registration.ts'
import { heartbeat, listOwnRuntimes, runtimeDetail, runtimeStatus, setAllowedOrigins } from './runtimes.ts'

const RuntimeParams = z.object({ runtimeId: z.string() })
const ListQuery = z.object({ limit: PageLimit, cursor: PageCursor, projectId: z.string().optional() })

/** Owner plane: registering runtimes and looking at them. */
export function runtimeRoutes(plane: FastifyInstance, deps: Deps): void {
  const routes = typed(plane)

  routes.post('/v1/runtimes', { schema: { body: RegisterRuntimeRequest } }, async (request, reply) => {
    const registration = await registerRuntime(deps, ownerOf(request), request.body)
    return reply.code(registration.created ? 201 : 200).send(registration.runtime)
  })

  routes.get('/v1/runtimes', { schema: { querystring: ListQuery } }, async (request): Promise<RuntimeList> => {
    const { limit, cursor, projectId } = request.query
    const page = await listOwnRuntimes(deps, ownerOf(request), { limit, after: cursor, projectId })
    return { runtimes: page.runtimes, nextCursor: encodeCursor(page.next) }
  })

  routes.get('/v1/runtimes/:runtimeId', { schema: { params: RuntimeParams } }, (request) =>
    runtimeDetail(deps, ownerOf(request), request.params.runtimeId),
  )

  routes.put(
    '/v1/runtimes/:runtimeId/allowed-origins',
    { schema: { params: RuntimeParams, body: AllowedOriginsRequest } },
    (request) =>
      setAllowedOrigins(deps, ownerOf(request), {
        runtimeId: request.params.runtimeId,
        origins: request.body.origins,
      }),
  )
}

/** Deploy plane: a runtime's own operator checks in. */
export function checkInRoutes(plane: FastifyInstance, deps: Deps): void {
  plane.get('/v1/runtime/status', (request) => runtimeStatus(deps, runtimeOf(request)))
  plane.post('/v1/runtime/heartbeat', (request) => heartbeat(deps, runtimeOf(request)))
}
