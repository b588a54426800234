import { DeployRequest } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { answerPreflights } from '../http/gate.ts'
import { runtimeOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { deploy } from './deploy.ts'
import { MANIFEST_CACHE_CONTROL, publishedManifest } from './discovery.ts'

const MANIFEST = '/v1/runtime/:runtimeId/manifest'
const RuntimeParams = z.object({ runtimeId: z.string() })

/** Deploy plane: publishing a manifest. */
export function deploymentRoutes(plane: FastifyInstance, deps: Deps): void {
  typed(plane).post('/v1/deployments', { schema: { body: DeployRequest } }, async (request, reply) => {
    const deployed = await deploy(deps, runtimeOf(request), request.body.manifest)
    return reply.code(201).send(deployed)
  })
}

/** Public plane: what a runtime publishes of itself. */
export function discoveryRoutes(plane: FastifyInstance, deps: Deps): void {
  // A page that revalidates by hand sends If-None-Match, which browsers ask about first.
  answerPreflights(plane, [MANIFEST], 'GET')

  typed(plane).get(MANIFEST, { schema: { params: RuntimeParams } }, async (request, reply) => {
    const manifest = await publishedManifest(deps, request.params.runtimeId)
    reply.headers({ etag: manifest.etag, 'cache-control': MANIFEST_CACHE_CONTROL })
    if (isKnown(request.headers['if-none-match'], manifest.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(manifest.body)
  })
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}
