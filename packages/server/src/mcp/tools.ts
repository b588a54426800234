import type { CapabilityEffect, JsonObject } from '@svc/contract'
import { JsonDocument } from '../lib/json-document.ts'
import type { ModelTool } from '../model/model.ts'
import type { ServingCapability, ServingDeployment, ServingRuntime } from '../runtimes/serving-runtime.ts'
import { type Era, META } from './messages.ts'
import { CARDS_URI, type PagePolicy, policyOf } from './resources.ts'

/** What a deployment says of itself and of its tools, as it is written into answers. */
export interface PublishedServer {
  /** Name, title, version and addresses. */
  info: JsonObject
  /** The `_meta` of each result. */
  meta: JsonDocument
  /** Of the page that shows what tools give to be shown. */
  cardsPolicy: PagePolicy
  /** With or without the page that a host shows their outputs in. */
  tools(era: Era, hasPage: boolean): JsonDocument
}

// A deployment is one runtime's, and is cached within a limit of bytes.
const published = new WeakMap<ServingDeployment, PublishedServer>()

/** The same for each request to one deployment. */
export function publishedServer({ runtimeId }: ServingRuntime, deployment: ServingDeployment): PublishedServer {
  const known = published.get(deployment)
  if (known) return known
  const { website, version } = deployment
  const name = { name: runtimeId, version: `${version}.0.0`, ...(website && { title: website.name }) }
  const lists = new Map<string, JsonDocument>()
  const server: PublishedServer = {
    info: {
      ...name,
      ...(website?.description !== undefined && { description: website.description }),
      ...(website?.url !== undefined && { websiteUrl: website.url }),
    },
    meta: JsonDocument.of({ [META.server]: name }),
    cardsPolicy: policyOf(website),
    tools(era, hasPage) {
      const key = `${era} ${hasPage}`
      const list = lists.get(key) ?? toolList(deployment, era, hasPage)
      lists.set(key, list)
      return list
    },
  }
  published.set(deployment, server)
  return server
}

/** By name, so that lists differ only where tools do. */
function toolList({ tools, capabilities }: ServingDeployment, era: Era, hasPage: boolean): JsonDocument {
  const page = hasPage && { _meta: { ui: { resourceUri: CARDS_URI } } }
  const listed = tools
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((tool) => {
      const capability = capabilities.get(tool.name)
      return capability ? [{ ...toTool(tool, capability, era), ...page }] : []
    })
  return new JsonDocument(JSON.stringify(listed, withoutHeaderMarks))
}

const HINTS: Readonly<Record<CapabilityEffect, JsonObject>> = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
}

const NO_INPUT = { type: 'object', additionalProperties: false }

function toTool({ name, description, inputSchema }: ModelTool, { effect, outputSchema }: ServingCapability, era: Era) {
  const isPublished = outputSchema !== null && (era === 'modern' || outputSchema['type'] === 'object')
  return {
    name,
    description,
    // An input is always an object, also where its schema does not say so.
    inputSchema: inputSchema ? { ...inputSchema, type: 'object' } : NO_INPUT,
    ...(isPublished && { outputSchema }),
    annotations: HINTS[effect],
  }
}

// The service checks no headers that repeat single inputs, so it must not ask clients for any.
function withoutHeaderMarks(key: string, value: unknown): unknown {
  return key === 'x-mcp-header' && typeof value === 'string' ? undefined : value
}
