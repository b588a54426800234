import { AnalyticsBucket, AnalyticsSummary } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { PageTime } from '../http/page.ts'
import { ProjectIdParam, RuntimeIdParam } from '../http/params.ts'
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { summaryOf } from './analytics.ts'
import type { AnalyticsDeps } from './deps.ts'

const SUMMARY = describeRoutes('Analytics')('getAnalyticsSummary', 'Summarize executions over time', {
  querystring: z.strictObject({
    from: PageTime,
    to: PageTime,
    bucket: AnalyticsBucket.optional().describe('How finely the time is cut, in UTC.'),
    projectId: ProjectIdParam.optional(),
    runtimeId: RuntimeIdParam.optional(),
  }),
  response: { 200: AnalyticsSummary },
})

/** Owner plane: figures over time, by capability and by runtime. */
export function analyticsRoutes(plane: FastifyInstance, deps: AnalyticsDeps): void {
  const config = { readsMuch: true }
  typed(plane).get('/v1/analytics/summary', { schema: SUMMARY, config }, (request) =>
    summaryOf(deps, ownerOf(request), request.query),
  )
}
