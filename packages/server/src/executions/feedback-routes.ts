import { FeedbackRequest, RESUME_KEY_HEADER, StoredFeedback } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { ExecutionParams } from '../http/params.ts'
import { confirmedRuntimeOf, setExecution } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import type { ExecutionDeps } from './deps.ts'
import { rateExecution } from './rate-execution.ts'

const PATH = '/v1/runtime/executions/:executionId/feedback'

const RATE = describeRoutes('Chat')('rateExecution', 'Rate an answer', {
  description:
    'What the end user thought of a streamed execution that has ended: a number, never a text. A wrong id, a wrong key and an execution that still runs are one 404.',
  params: ExecutionParams,
  headers: z.looseObject({
    [RESUME_KEY_HEADER]: z.string().max(256).describe('The `resumeKey` of the stream’s first event.'),
  }),
  body: FeedbackRequest,
  response: { 200: StoredFeedback },
})

/** Public-key plane: the thumb under an answer. The key of its stream is the proof that the caller had it. */
export function feedbackRoutes(plane: FastifyInstance, deps: Pick<ExecutionDeps, 'db' | 'keyring'>): void {
  answerPreflights(plane, [PATH], 'PUT')
  typed(plane).put(PATH, { schema: RATE, config: { isRateLimited: true } }, async (request) => {
    const { executionId } = request.params
    const { ownerId, runtimeId } = (await confirmedRuntimeOf(request)).runtime
    const resumeKey = request.headers[RESUME_KEY_HEADER]
    const stored = await rateExecution(deps, { ownerId, runtimeId, executionId, resumeKey }, request.body.value)
    setExecution(request, executionId)
    return stored
  })
}
