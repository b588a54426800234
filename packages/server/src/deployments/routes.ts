import * as contract from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createDeploymentQueue } from '../http/account-queues.ts'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { reserveRead } from '../http/in-flight.ts'
import { FOREIGN_CURSOR, PageCursor, PageLimit } from '../http/page.ts'
import { RuntimeParams } from '../http/params.ts'
import { deployKeyOf, ownerOf, runtimeOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { deploy } from './deploy.ts'
import type { DeploymentDeps } from './deps.ts'
import { BrokerDescription } from './describe-broker.ts'
import { type DiscoveryDeps, MANIFEST_CACHE_CONTROL, type PublishedForm, publishedForm } from './discovery.ts'
import { deploymentDetail, listOwnDeployments, servingDetail } from './history.ts'
import { type PromotedVersion, promote, trafficOf } from './promote.ts'

type ReserveDeps = Parameters<typeof reserveRead>[0]

const MANIFEST = '/v1/runtime/:runtimeId/manifest'
const OPENAPI = '/v1/runtime/:runtimeId/openapi.json'

const VERSION = /^[1-9]\d{0,8}$/
// Cursors of other lists hold times in milliseconds, more than the column of versions can be compared with.
const VersionCursor = PageCursor.refine(
  (start) => start === null || (VERSION.test(start.id) && start.at === Number(start.id)),
  FOREIGN_CURSOR,
)
const VersionsQuery = z.strictObject({ limit: PageLimit, cursor: VersionCursor })
const VersionParams = RuntimeParams.extend({
  version: z.string().regex(VERSION, 'must be the number of a deployment, such as 3.').transform(Number).meta({
    description: 'The number of a deployment; the first is 1.',
    type: 'integer',
    minimum: 1,
    pattern: undefined,
  }),
})

const PromotedVersionParam = z
  .string()
  .regex(/^([1-9]\d{0,8}|candidate|previous)$/, 'must be the number of a deployment, “candidate” or “previous”.')
  .transform((text): PromotedVersion => (text === 'candidate' || text === 'previous' ? text : Number(text)))
  .meta({
    description: 'The number of a deployment; `candidate`; or `previous`, the one that was stable before.',
    type: 'string',
    pattern: undefined,
  })

const describeRoute = describeRoutes('Deployments')
const DEPLOY = describeRoute('deploy', 'Deploy a manifest', {
  description:
    'It replaces the deployment before it as a whole and serves from now on, unless `promote` or `traffic` makes it a candidate. 429 where too many deployments are being checked at once.',
  body: contract.DeployRequest,
  response: { 201: contract.DeployResponse, 429: contract.ErrorBody },
})
const LIST = describeRoute('listDeployments', 'List a runtime’s deployments, newest first', {
  description: 'The stable one is `active`, one beside it may be the `candidate`, all others are `superseded`.',
  params: RuntimeParams,
  querystring: VersionsQuery,
  response: { 200: contract.DeploymentList },
})
const DETAIL = describeRoute('getDeployment', 'Fetch a deployment with its manifest', {
  params: VersionParams,
  response: { 200: contract.DeploymentDetail },
})
const SERVING = describeRoute('getServingDeployment', 'Fetch the serving deployment with its manifest', {
  description: '404 before the first one.',
  response: { 200: contract.DeploymentDetail, 404: contract.ErrorBody },
})
const PROMOTED = {
  description:
    'Without `traffic` it becomes the stable one, which ends the candidate; an older one is a rollback. With it, it becomes the candidate with this share, and its counts begin anew.',
  body: contract.PromoteRequest,
  response: { 200: contract.PromotedDeployment },
}
const PROMOTE = describeRoute('promoteDeployment', 'Promote a deployment, or set its share', {
  ...PROMOTED,
  params: z.object({ version: PromotedVersionParam }),
})
const PROMOTE_OWN = describeRoute('promoteRuntimeDeployment', 'Promote a deployment of a runtime, or set its share', {
  ...PROMOTED,
  params: RuntimeParams.extend({ version: PromotedVersionParam }),
})
const TRAFFIC = describeRoute('getTraffic', 'Compare the stable deployment with the candidate', {
  params: RuntimeParams,
  response: { 200: contract.TrafficReport },
})
const PUBLISHED = describeRoutes('Discovery')('getManifest', 'Fetch what a runtime publishes', {
  description:
    'An Agent Discovery Specification document, built from the serving deployment. 404 before the first one; 400 where the deployment names neither a website nor `adp.namespace`.',
  params: RuntimeParams,
  response: { 200: contract.DiscoveryManifest, 304: z.void() },
})

const BROKER_CALLS = 'Fetch a runtime’s broker calls as an OpenAPI document'
const DESCRIBED = describeRoutes('Discovery')('getRuntimeOpenApi', BROKER_CALLS, {
  description:
    'An OpenAPI 3.1 document with one operation for each capability of the serving deployment that a stranger may call. Capabilities that a person approves are left out. 404 before the first deployment.',
  params: RuntimeParams,
  response: { 200: BrokerDescription, 304: z.void() },
})

/** Owner plane: what a runtime has deployed, and what of it serves. */
export function deploymentHistoryRoutes(plane: FastifyInstance, deps: DeploymentDeps & ReserveDeps): void {
  const routes = typed(plane)

  routes.get('/v1/runtimes/:runtimeId/deployments', { schema: LIST }, (request) =>
    listOwnDeployments(deps, ownerOf(request), { ...request.query, ...request.params }),
  )

  routes.get('/v1/runtimes/:runtimeId/deployments/:version', { schema: DETAIL }, (request) =>
    deploymentDetail(deps, ownerOf(request), { ...request.params, reserve: reserveRead(deps, request) }),
  )

  routes.post('/v1/runtimes/:runtimeId/deployments/:version/promote', { schema: PROMOTE_OWN }, (request) => {
    const { runtimeId, version } = request.params
    return promote(deps, { ownerId: ownerOf(request).ownerId, runtimeId }, { version, ...request.body })
  })

  routes.get('/v1/runtimes/:runtimeId/traffic', { schema: TRAFFIC, config: { readsMuch: true } }, (request) =>
    trafficOf(deps, ownerOf(request), request.params.runtimeId),
  )
}

/** Deploy plane: publishing a manifest, promoting one, and looking at the one that serves. */
export function deploymentRoutes(plane: FastifyInstance, deps: DeploymentDeps & ReserveDeps): void {
  const preParsing = createDeploymentQueue()
  const routes = typed(plane)
  routes.get('/v1/runtime/deployment', { schema: SERVING }, (request) =>
    servingDetail(deps, runtimeOf(request), reserveRead(deps, request)),
  )
  routes.post(
    '/v1/deployments',
    { schema: DEPLOY, preParsing, config: { skipsAccountQueue: true } },
    async (request, reply) => {
      const given = { ...request.body, deployedBy: deployKeyOf(request) }
      return reply.code(201).send(await deploy(deps, runtimeOf(request), given))
    },
  )
  routes.post('/v1/deployments/:version/promote', { schema: PROMOTE }, (request) =>
    promote(deps, runtimeOf(request), { ...request.params, ...request.body }),
  )
}

/** Public plane: what a runtime publishes of itself. */
export function discoveryRoutes(plane: FastifyInstance, deps: DiscoveryDeps & ReserveDeps): void {
  // A page that revalidates by hand sends If-None-Match, which browsers ask about first.
  answerPreflights(plane, [MANIFEST, OPENAPI], 'GET')

  // Not typed by its schema: what is sent is the document’s text, as it is remembered.
  const publish = (path: string, form: PublishedForm, schema: typeof PUBLISHED | typeof DESCRIBED) =>
    plane.get<{ Params: z.infer<typeof RuntimeParams> }>(path, { schema }, async (request, reply) => {
      const asked = { form, ...request.params, reserve: reserveRead(deps, request) }
      const { body, etag } = await publishedForm(deps, asked)
      reply.headers({ etag, 'cache-control': MANIFEST_CACHE_CONTROL })
      if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(body)
    })
  publish(MANIFEST, 'manifest', PUBLISHED)
  publish(OPENAPI, 'openapi', DESCRIBED)
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}
