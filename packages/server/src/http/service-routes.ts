import type { ServiceHealth, ServiceInfo } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { isoTime } from '../clock.ts'
import type { Deps } from '../deps.ts'

/** Who answers here, and that it lives. */
export function serviceRoutes(plane: FastifyInstance, deps: Pick<Deps, 'clock' | 'version'>): void {
  const startedAt = deps.clock.now()

  plane.get('/', async (): Promise<ServiceInfo> => ({ service: 'svc', version: deps.version }))

  plane.get('/health', async (): Promise<ServiceHealth> => {
    const now = deps.clock.now()
    const uptime = Math.max(0, now - startedAt) / 1000
    return { status: 'ok', version: deps.version, uptime, timestamp: isoTime(now) }
  })
}
