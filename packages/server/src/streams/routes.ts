import { CancelledExecution, LAST_EVENT_ID_HEADER, RESUME_KEY_HEADER, StreamEvent } from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { ExecutionParams } from '../http/params.ts'
import { accountOfRequest, confirmedRuntimeOf, setExecution } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import { answerEvents } from './answer-events.ts'
import type { StreamDeps } from './deps.ts'
import { cancelRun, openSource, type ResumeRequest } from './resume.ts'

const PATH = '/v1/runtime/executions/:executionId'
const TAKEN_WHILE_DRAINING = { isTakenWhileDraining: true } as const

const CancelHeaders = z.looseObject({
  [RESUME_KEY_HEADER]: z.string().max(256).describe('The `resumeKey` of the stream’s first event.'),
})
const EventHeaders = CancelHeaders.extend({
  [LAST_EVENT_ID_HEADER]: z
    .string()
    .regex(/^\d{1,9}$/, 'must be the id of an event, a whole number.')
    .optional()
    .describe('The id of the last event that arrived. None or 0: from the first event on.'),
})

const describeRoute = describeRoutes('Chat')
const EVENTS = describeRoute('resumeExecution', 'Resume the stream of an execution', {
  description:
    'The events after `Last-Event-ID` of an execute that was streamed with `detach`, those to come included, with `done` last. A wrong id and a wrong key are one 404. Where events were dropped meanwhile, `gap` says so and `done` follows. Events wait until five minutes after the end; past that, and on a server that does not run the execution and cannot ask the one that does, the 404 says that they are not held.',
  params: ExecutionParams,
  headers: EventHeaders,
  events: StreamEvent,
  response: { 200: z.void() },
})

const CANCEL = describeRoute('cancelExecution', 'Cancel a streamed execution', {
  description:
    'The execution ends as `failed` with `finishReason` `cancelled`. Answers once it has ended: capability calls under way end first. After the end nothing is changed, and the answer holds the status that the execution has.',
  params: ExecutionParams,
  headers: CancelHeaders,
  response: { 200: CancelledExecution },
})

/** Public-key plane: resumes and cancels what a page has streamed. */
export function resumeRoutes(plane: FastifyInstance, deps: StreamDeps): void {
  const routes = typed(plane)
  answerPreflights(plane, [`${PATH}/events`], 'GET', TAKEN_WHILE_DRAINING)
  answerPreflights(plane, [`${PATH}/cancel`], 'POST', TAKEN_WHILE_DRAINING)
  const [events, cancel] = [
    { ...TAKEN_WHILE_DRAINING, isRateLimited: true, load: 'execution' } as const,
    { ...TAKEN_WHILE_DRAINING, isRateLimited: true },
  ]

  routes.get(`${PATH}/events`, { schema: EVENTS, config: events }, async (request, reply) => {
    if (request.method === 'HEAD') return reply.type('text/event-stream').send()
    const after = Number(request.headers[LAST_EVENT_ID_HEADER] ?? 0)
    const { executionId } = request.params
    const sought = await soughtBy(request, executionId, request.headers[RESUME_KEY_HEADER])
    const source = await openSource(deps, sought, after)
    setExecution(request, executionId)
    await answerEvents(deps, { reply, accountId: accountOfRequest(request) }, { source, after })
  })
  // Not refused under load: it makes the load less.
  routes.post(`${PATH}/cancel`, { schema: CANCEL, config: cancel }, async (request) => {
    const { executionId } = request.params
    return cancelRun(deps, await soughtBy(request, executionId, request.headers[RESUME_KEY_HEADER]))
  })
}

async function soughtBy(request: FastifyRequest, executionId: string, resumeKey: string): Promise<ResumeRequest> {
  const { ownerId, runtimeId } = (await confirmedRuntimeOf(request)).runtime
  return { ownerId, runtimeId, executionId, resumeKey }
}
