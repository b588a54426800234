import { createHash } from 'node:crypto'
import { JsonObject, ServiceHealth, ServiceInfo } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { isoTime } from '../lib/clock.ts'
import type { HttpDeps } from './deps.ts'
import { describeRoutes } from './describe-routes.ts'
import { describeApi } from './openapi/document.ts'
import type { Operation } from './openapi/operations.ts'
import { typed } from './typed.ts'

const describeRoute = describeRoutes('Service')
const INFO = describeRoute('getService', 'Who answers here', { response: { 200: ServiceInfo } })
const HEALTH = describeRoute('getHealth', 'Whether the service lives', { response: { 200: ServiceHealth } })
const DESCRIPTION = describeRoute('getOpenApi', 'This description of the API', {
  response: { 200: JsonObject, 304: z.void() },
})

/** Public plane: the name, the version and the health of the service. */
export function serviceRoutes(plane: FastifyInstance, { clock, version }: Pick<HttpDeps, 'clock' | 'version'>): void {
  const routes = typed(plane)
  const startedAt = clock.now()
  const config = { load: 'health' } as const

  routes.get('/', { schema: INFO, config }, async (): Promise<ServiceInfo> => ({ service: 'svc', version }))

  routes.get('/health', { schema: HEALTH, config }, async (): Promise<ServiceHealth> => {
    const now = clock.now()
    return { status: 'ok', version, uptime: Math.max(0, now - startedAt) / 1000, timestamp: isoTime(now) }
  })
}

/** Public plane: the API's description. It is written at the first request, when every route and the address are known. */
export function openApiRoutes(
  plane: FastifyInstance,
  { baseUrl, version }: Pick<HttpDeps, 'baseUrl' | 'version'>,
  operations: () => Operation[],
): void {
  let written: { body: string; etag: string } | undefined
  const write = () => {
    const body = JSON.stringify(describeApi(operations(), { baseUrl: baseUrl(), version }))
    return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
  }

  plane.get('/openapi.json', { schema: DESCRIPTION }, async (request, reply) => {
    written ??= write()
    reply.headers({ etag: written.etag, 'cache-control': 'public, max-age=0' })
    if (request.headers['if-none-match']?.includes(written.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(written.body)
  })
}
