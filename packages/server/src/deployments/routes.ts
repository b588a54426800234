import { DeployRequest, DeployResponse, DiscoveryManifest, ErrorBody } from '@svc/contract'
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

const DEPLOY = {
  summary: 'Deploy a manifest',
  description:
    'It replaces the deployment before it as a whole and serves from now on. 429 where too many deployments are being checked at once.',
  tags: ['Deployments'],
  operationId: 'deploy',
  body: DeployRequest,
  response: { 201: DeployResponse, 429: ErrorBody },
} as const

const PUBLISHED = {
  summary: 'Fetch what a runtime publishes',
  description:
    'An Agent Discovery Specification document, built from the serving deployment. 404 before the first one; 400 where the deployment names neither a website nor `adp.namespace`.',
  tags: ['Discovery'],
  operationId: 'getManifest',
  params: RuntimeParams,
  response: { 200: { content: { 'application/json': { schema: DiscoveryManifest } } }, 304: z.void() },
} as const

/** Deploy plane: publishing a manifest. */
export function deploymentRoutes(plane: FastifyInstance, deps: Deps): void {
  typed(plane).post('/v1/deployments', { schema: DEPLOY }, async (request, reply) => {
    const deployed = await deploy(deps, runtimeOf(request), request.body.manifest)
    return reply.code(201).send(deployed)
  })
}

/** Public plane: what a runtime publishes of itself. */
export function discoveryRoutes(plane: FastifyInstance, deps: Deps): void {
  // A page that revalidates by hand sends If-None-Match, which browsers ask about first.
  answerPreflights(plane, [MANIFEST], 'GET')

  // Not typed by its schema: what is sent is the document’s text, as it is remembered.
  plane.get<{ Params: z.infer<typeof RuntimeParams> }>(MANIFEST, { schema: PUBLISHED }, async (request, reply) => {
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
