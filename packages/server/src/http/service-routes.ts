import { ServiceHealth, ServiceInfo } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { isoTime } from '../lib/clock.ts'
import { typed } from './typed.ts'

const INFO = {
  summary: 'Who answers here',
  tags: ['Service'],
  operationId: 'getService',
  response: { 200: ServiceInfo },
} as const

const HEALTH = {
  summary: 'Whether the service lives',
  tags: ['Service'],
  operationId: 'getHealth',
  response: { 200: ServiceHealth },
} as const

/** Who answers here, and that it lives. */
export function serviceRoutes(plane: FastifyInstance, deps: Pick<Deps, 'clock' | 'version'>): void {
  const routes = typed(plane)
  const startedAt = deps.clock.now()

  routes.get(
    '/',
    { schema: INFO, config: { load: 'health' } },
    async (): Promise<ServiceInfo> => ({ service: 'svc', version: deps.version }),
  )

  routes.get('/health', { schema: HEALTH, config: { load: 'health' } }, async (): Promise<ServiceHealth> => {
    const now = deps.clock.now()
    const uptime = Math.max(0, now - startedAt) / 1000
    return { status: 'ok', version: deps.version, uptime, timestamp: isoTime(now) }
  })
}
