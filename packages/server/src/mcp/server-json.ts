import { discoveryNamespace } from '@svc/contract'
import { mcpAddress } from '@svc/contract/mcp-hosts'
import { z } from 'zod'
import { AppError, notFound } from '../errors.ts'
import { lookUpById, type ServingDeps } from '../runtimes/serving-cache.ts'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** What the registry's format takes of a text. */
const MAX_TEXT = 100

export const ServerJson = z.object({
  $schema: z.literal(SCHEMA),
  name: z.string().describe('The namespace of the manifest, a slash, and the runtime’s id.'),
  title: z.string().optional(),
  description: z.string(),
  version: z.string().describe('The number of the deployment, `7.0.0`.'),
  websiteUrl: z.string().optional(),
  remotes: z.array(z.object({ type: z.literal('streamable-http'), url: z.string() })),
})
export type ServerJson = z.infer<typeof ServerJson>

/** 404 before the first deployment; 400 where no namespace follows from the deployment, as for its manifest. */
export async function serverJson(
  deps: ServingDeps & { baseUrl: () => string },
  runtimeId: string,
): Promise<ServerJson> {
  const what = 'A deployment of this runtime'
  const cached = await lookUpById(deps, { runtimeId, what }, ({ deployment }) => deployment !== null)
  // No admission confirms that the cached deployment still serves.
  if (!cached.isFresh) await cached.refresh()
  const { deployment } = cached.runtime
  if (!deployment) throw notFound(what)
  const { website, version } = deployment
  const namespace = discoveryNamespace({ manifest: deployment, runtimeId })
  if (!namespace.ok) {
    const { problem } = namespace
    throw new AppError('validation_error', problem, { fieldErrors: { 'adp.namespace': [problem] } })
  }
  return {
    $schema: SCHEMA,
    name: `${namespace.value}/${runtimeId}`,
    ...(website && { title: cut(website.name) }),
    description: cut(website?.description?.trim() || `The tools of ${website?.name ?? runtimeId}.`),
    version: `${version}.0.0`,
    ...(website?.url !== undefined && { websiteUrl: website.url }),
    remotes: [{ type: 'streamable-http', url: mcpAddress(deps.baseUrl(), runtimeId) }],
  }
}

function cut(text: string): string {
  const characters = [...text]
  return characters.length <= MAX_TEXT ? text : `${characters.slice(0, MAX_TEXT - 1).join('')}…`
}
