import { WidgetSettings } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { cachedRuntimeOf } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'

const PATH = '/v1/runtime/widget'

const SCHEMA = describeRoutes('Chat')('readWidgetSettings', 'Read what a chat shows where its page says nothing', {
  description:
    'Name and colour of the deployed `website`, and what to say first. May be kept for five minutes. It has a rate limit of its own, the same figure again.',
  response: { 200: WidgetSettings },
})

const CONFIG = { isRateLimited: true, rate: 'settings' } as const

/** Public-key plane: what the owner deployed for chats. */
export function widgetRoutes(plane: FastifyInstance): void {
  answerPreflights(plane, [PATH], 'GET')
  typed(plane).get(PATH, { schema: SCHEMA, config: CONFIG }, async (request, reply) => {
    const cached = cachedRuntimeOf(request)
    // No admission confirms that the key still works.
    if (!cached.isFresh) await cached.refresh()
    const { deployment } = cached.runtime
    // A page may have chats of several runtimes: their keys tell the answers apart.
    reply.header('cache-control', 'private, max-age=300').header('vary', 'origin, authorization')
    const { name = null, color = null } = deployment?.website ?? {}
    return { name, accent: color, suggestions: deployment?.suggestions ?? [] }
  })
}
