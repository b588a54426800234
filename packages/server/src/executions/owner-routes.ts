import { type ExecutionList, ExecutionStatus, OwnerExecuteRequest } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { encodeCursor, PageCursor, PageLimit, PageTime } from '../http/page.ts'
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { locateOwned } from '../runtimes/serving.ts'
import { answerExecution } from './answer-execution.ts'
import { listOwnExecutions, traceOf } from './history.ts'

const ListQuery = z.object({
  limit: PageLimit,
  cursor: PageCursor,
  status: ExecutionStatus.optional(),
  from: PageTime,
  to: PageTime,
})

/** Owner plane: running executions on one's own runtimes, and what became of all of them. */
export function executionRoutes(plane: FastifyInstance, deps: Deps): void {
  const routes = typed(plane)

  routes.post('/v1/executions', { schema: { body: OwnerExecuteRequest } }, async (request, reply) => {
    const { runtimeId, messages, metadata } = request.body
    const located = await locateOwned(deps, ownerOf(request).ownerId, runtimeId)
    const input = { door: 'owner', messages, metadata, endUserToken: undefined } as const
    return answerExecution(deps, { request, reply }, located, input)
  })

  routes.get('/v1/executions', { schema: { querystring: ListQuery } }, async (request): Promise<ExecutionList> => {
    const { limit, cursor, status, from, to } = request.query
    const page = await listOwnExecutions(deps, ownerOf(request), { limit, after: cursor, status, from, to })
    return { executions: page.executions, nextCursor: encodeCursor(page.next) }
  })

  routes.get('/v1/executions/:executionId', { schema: { params: z.object({ executionId: z.string() }) } }, (request) =>
    traceOf(deps, ownerOf(request), request.params.executionId),
  )
}
