import { createHash } from 'node:crypto'
import { type Capability, type GeneratorContext, toUri } from '@svc/contract'
import { createComponentBook } from './component-book.ts'
import { describeCapability } from './describe-capability.ts'
import { HEADERS, sharedResponses } from './responses.ts'
import { TAGS } from './tags.ts'
import type { OpenApiDocument } from './types.ts'

export type DescribedRuntime = GeneratorContext & { readonly runtimeId: string }

/** The OpenAPI document of a runtime’s broker routes. Throws for a capability whose schema leads out of itself. */
export function describeRuntime(runtime: DescribedRuntime): OpenApiDocument {
  const { runtimeId, baseUrl } = runtime
  // The broker does not know what a person has to approve.
  const capabilities = runtime.capabilities.filter(({ confirm }) => !confirm)
  const book = createComponentBook()
  const hasEndUsers = capabilities.some(({ requiresEndUser }) => requiresEndUser)
  const responses = sharedResponses(book, { hasEndUsers })
  const operations = capabilities.map((capability) => describeCapability(book, capability))
  const used = new Set(operations.flatMap(({ tags }) => tags))
  const paths = operations.map((operation) => [
    `/v1/capabilities/${runtimeId}/${operation.operationId}`,
    { post: operation },
  ])
  return {
    openapi: '3.1.1',
    info: infoOf(runtime),
    servers: [{ url: baseUrl, description: 'The control plane that calls the capabilities.' }],
    security: [],
    tags: Object.values(TAGS).filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(paths),
    components: { schemas: book.components(), responses, headers: HEADERS },
  }
}

function infoOf({ capabilities, manifest, runtimeName, runtimeId }: DescribedRuntime) {
  const { website, adp } = manifest
  const contact = contactOf(website)
  return {
    title: website?.name ?? runtimeName ?? adp?.namespace ?? runtimeId,
    version: versionOf(capabilities),
    ...(website?.description !== undefined && { description: website.description }),
    ...(contact && { contact }),
  }
}

// Capabilities have versions, the set of them has none: the digest changes when one of them does.
function versionOf(capabilities: readonly Capability[]): string {
  return `1.0.0+${createHash('sha256').update(JSON.stringify(capabilities)).digest('hex').slice(0, 12)}`
}

const E_MAIL = /^[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]+$/

function contactOf(website: GeneratorContext['manifest']['website']) {
  if (!website) return null
  const { name, url, contact = '' } = website
  return {
    name,
    ...(url !== undefined && { url: toUri(url) }),
    ...(E_MAIL.test(contact) && { email: contact }),
  }
}
