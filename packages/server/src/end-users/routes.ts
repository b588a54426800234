import { mcpAddress } from '@svc/contract/mcp-hosts'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { MANIFEST_CACHE_CONTROL } from '../deployments/discovery.ts'
import { notFound } from '../errors.ts'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { RuntimeParams } from '../http/params.ts'
import { typed } from '../http/typed.ts'
import { lookUpById, type ServingDeps } from '../runtimes/serving-cache.ts'
import { RESOURCE_METADATA_PATH } from './rules.ts'

const PATH = `${RESOURCE_METADATA_PATH}/:runtimeId`
const WHAT = 'The protected resource'

const ResourceMetadata = z.object({
  resource: z.string().describe('The address of the MCP server: what `aud` of a token names.'),
  authorization_servers: z.array(z.string()).describe('The issuer that the deployment names.'),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
  resource_name: z.string().optional(),
})

const DESCRIBE = describeRoutes('MCP')('getProtectedResource', 'Find who signs in the users of an MCP server', {
  description:
    'Protected-resource metadata (RFC 9728) of `/v1/mcp/<runtime_id>`. 404 where the serving deployment has no `endUsers`.',
  params: RuntimeParams,
  response: { 200: ResourceMetadata },
})

/** Public plane: who signs in the users of a runtime's MCP server. */
export function protectedResourceRoutes(plane: FastifyInstance, deps: ServingDeps & { baseUrl: () => string }): void {
  answerPreflights(plane, [PATH], 'GET')
  typed(plane).get(PATH, { schema: DESCRIBE }, async (request, reply) => {
    const { runtimeId } = request.params
    const cached = await lookUpById(deps, { runtimeId, what: WHAT }, ({ deployment }) => !!deployment?.endUsers)
    // No admission confirms that the cached deployment still serves.
    if (!cached.isFresh) await cached.refresh()
    const { endUsers, website } = cached.runtime.deployment ?? {}
    if (!endUsers) throw notFound(WHAT)
    reply.header('cache-control', MANIFEST_CACHE_CONTROL)
    return {
      resource: mcpAddress(deps.baseUrl(), runtimeId),
      authorization_servers: [endUsers.issuer],
      scopes_supported: endUsers.scopes ?? [],
      bearer_methods_supported: ['header' as const],
      ...(website && { resource_name: website.name }),
    }
  })
}
