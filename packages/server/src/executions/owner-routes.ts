import {
  ErrorBody,
  ExecuteResponse,
  ExecutionList,
  ExecutionStatus,
  OwnerExecuteRequest,
  StreamEvent,
  Trace,
  TraceList,
} from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { reserveRead } from '../http/in-flight.ts'
import { PASSED_ON_FIELDS } from '../http/json-body.ts'
import { PageCursor, PageLimit, PageTime } from '../http/page.ts'
import { ExecutionParams, ProjectIdParam, RuntimeIdParam, RuntimeParams } from '../http/params.ts'
import { ownerOf } from '../http/planes.ts'
import { setRuntime } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import { lookUpById } from '../runtimes/serving-cache.ts'
import { answerExecution } from './answer-execution.ts'
import type { ExecutionDeps } from './deps.ts'
import { toExecuteInput } from './execute.ts'
import { listOwnExecutions, traceOf } from './history.ts'

const FILTERS = {
  limit: PageLimit,
  cursor: PageCursor,
  status: ExecutionStatus.optional().describe('Only those of this status.'),
  calls: z
    .enum(['failed', 'unknown'])
    .optional()
    .describe('Only those with a capability call that failed, or whose outcome is unknown, whatever their status.'),
  feedback: z
    .enum(['up', 'down'])
    .transform((value) => (value === 'up' ? 1 : -1))
    .optional()
    .describe('Only those that the end user rated so.'),
  from: PageTime,
  to: PageTime,
  projectId: ProjectIdParam.optional(),
}

const isForward = ({ from, to }: { from?: number | undefined; to?: number | undefined }) =>
  from === undefined || to === undefined || from <= to

const BACKWARD = { path: ['from'], error: 'must not be later than “to”.' }

const ExecutionsQuery = z.strictObject({ ...FILTERS, runtimeId: RuntimeIdParam.optional() }).refine(isForward, BACKWARD)
const TracesQuery = z.strictObject(FILTERS).refine(isForward, BACKWARD)

const describeRoute = describeRoutes('Executions')
const EXECUTE = describeRoute('executeAsOwner', 'Run the agent on one of your runtimes', {
  description:
    'As a page does with a public key, with `system` turns allowed. Spends the quota; the rate limit of the runtime does not apply.',
  body: OwnerExecuteRequest,
  events: StreamEvent,
  response: { 200: ExecuteResponse, 429: ErrorBody },
})

const LIST = describeRoute('listExecutions', 'List executions', {
  querystring: ExecutionsQuery,
  response: { 200: ExecutionList },
})

const TRACE_PARTS = { params: ExecutionParams, response: { 200: Trace } } as const
const DETAIL = describeRoute('getExecution', 'Fetch the trace of an execution', TRACE_PARTS)

const READING = { readsMuch: true }

/** Owner plane: runs executions on the owner's runtimes, and reads the history of all. */
export function executionRoutes(plane: FastifyInstance, deps: ExecutionDeps): void {
  const routes = typed(plane)
  const execute = { schema: EXECUTE, config: { load: 'execution', exactFields: PASSED_ON_FIELDS } } as const
  routes.post('/v1/executions', execute, async (request, reply) => {
    const { ownerId } = ownerOf(request)
    const sought = { runtimeId: request.body.runtimeId, what: 'The runtime' }
    const cached = await lookUpById(deps, sought, (runtime) => runtime.ownerId === ownerId)
    setRuntime(request, cached.runtime)
    return answerExecution(deps, { reply, cached }, toExecuteInput(request.body))
  })
  routes.get('/v1/executions', { schema: LIST, config: READING }, (request) => listPage(deps, request, request.query))
  routes.get('/v1/executions/:executionId', { schema: DETAIL, config: READING }, (request) =>
    readTrace(deps, request, request.params.executionId),
  )
}

const describeTracesRoute = describeRoutes('Traces')
const TRACES = describeTracesRoute('listTraces', 'List the traces of a runtime', {
  params: RuntimeParams,
  querystring: TracesQuery,
  response: { 200: TraceList },
})

const TRACE = describeTracesRoute('getTrace', 'Fetch a trace', TRACE_PARTS)

/** Owner plane: the same history as traces, one runtime at a time. */
export function traceRoutes(plane: FastifyInstance, deps: ExecutionDeps): void {
  const routes = typed(plane)
  routes.get('/v1/traces/runtime/:runtimeId', { schema: TRACES, config: READING }, async (request) => {
    const { executions, nextCursor } = await listPage(deps, request, { ...request.query, ...request.params })
    return { traces: executions, nextCursor }
  })
  routes.get('/v1/traces/:executionId', { schema: TRACE, config: READING }, (request) =>
    readTrace(deps, request, request.params.executionId),
  )
}

function listPage(
  deps: ExecutionDeps,
  request: FastifyRequest,
  { cursor, calls: badCalls, ...filter }: z.output<typeof ExecutionsQuery>,
): Promise<ExecutionList> {
  return listOwnExecutions(deps, ownerOf(request), { ...filter, badCalls, after: cursor })
}

function readTrace(deps: ExecutionDeps, request: FastifyRequest, executionId: string): Promise<Trace> {
  return traceOf(deps, ownerOf(request), { executionId, reserve: reserveRead(deps, request) })
}
