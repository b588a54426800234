import * as z from 'zod'
import type { Capability, DeploymentManifest } from './deployments.ts'
import { CapabilityEffect, DEFAULT_EFFECT } from './effects.ts'
import { JsonObject } from './json.ts'
import { CapabilityName, namespaceProblem, SemVer } from './names.ts'

/** The version of the Agent Discovery Specification that manifests conform to. */
export const DISCOVERY_SPEC_VERSION = '0.3.0'

/** How long a reader may keep a manifest, in seconds. */
export const DISCOVERY_TTL_SECONDS = 300

/** One capability as anonymous callers find it. Its address is the broker’s, never the owner’s endpoint. */
export const DiscoveryCapability = z.object({
  name: z.string(),
  invocationName: CapabilityName,
  version: SemVer,
  description: z.string().exactOptional(),
  inputSchema: JsonObject.exactOptional(),
  outputSchema: JsonObject.exactOptional(),
  deprecated: z.boolean().exactOptional(),
  deprecatedSince: SemVer.exactOptional(),
  removalNotBefore: SemVer.exactOptional(),
  // Not of the specification, which lets fields be added. Older services leave it out.
  effect: CapabilityEffect.exactOptional(),
  endpoint: z.object({
    transport: z.literal('http'),
    address: z.url(),
    auth: z.enum(['none', 'custom:end-user-token']),
  }),
})
export type DiscoveryCapability = z.infer<typeof DiscoveryCapability>

/** A runtime’s public manifest, an Agent Discovery Specification document. */
export const DiscoveryManifest = z
  .object({
    specVersion: z.string(),
    id: z.string(),
    name: z.string(),
    description: z.string().exactOptional(),
    provider: z.object({ name: z.string(), url: z.string().exactOptional(), contact: z.string().exactOptional() }),
    capabilities: z.array(DiscoveryCapability),
    discovery: z.object({ cacheTtlSeconds: z.int().nonnegative() }),
    lastUpdated: z.string().exactOptional(),
  })
  .describe('A document of the Agent Discovery Specification 0.3.0.')
export type DiscoveryManifest = z.infer<typeof DiscoveryManifest>

export interface DiscoverySource {
  manifest: DeploymentManifest
  runtimeId: string
  /** Stands in for the website’s name where there is no website block. */
  runtimeName: string
  /** The control plane’s public address; every capability’s address points at its broker. */
  baseUrl: string
  /** ISO 8601 */
  deployedAt?: string
}

export type DiscoveryResult = { ok: true; document: DiscoveryManifest } | { ok: false; problem: string }

/** The manifest of a deployment, or why it cannot be published. The owner’s endpoint never appears in it. */
export function buildDiscoveryManifest(source: DiscoverySource): DiscoveryResult {
  const { manifest } = source
  const namespace = discoveryNamespace(source)
  if (!namespace.ok) return namespace
  const name = manifest.website?.name ?? source.runtimeName
  const { website } = manifest
  const document: DiscoveryManifest = {
    specVersion: DISCOVERY_SPEC_VERSION,
    id: manifest.adp?.id ?? namespace.value,
    name,
    ...defined({ description: website?.description }),
    provider: {
      name,
      ...defined({
        url: website?.url && (isUri(website.url) ? website.url : toUri(website.url)),
        contact: website?.contact,
      }),
    },
    // An anonymous caller has nobody to approve a call: what asks for approval is not published.
    capabilities: manifest.capabilities
      .filter(({ confirm }) => !confirm)
      .map((capability) => publish(capability, namespace.value, source)),
    discovery: { cacheTtlSeconds: DISCOVERY_TTL_SECONDS },
    ...defined({ lastUpdated: source.deployedAt }),
  }
  return { ok: true, document }
}

/** The broker address of one capability. */
export function brokerAddress(baseUrl: string, runtimeId: string, capability: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/v1/capabilities/${runtimeId}/${capability}`
}

function publish(capability: Capability, namespace: string, source: DiscoverySource): DiscoveryCapability {
  const action = capability.actions[0]
  return {
    name: `${namespace}.${capability.name}`,
    invocationName: capability.name,
    version: capability.version,
    ...(capability.description ? { description: capability.description } : {}),
    ...defined({
      inputSchema: action?.inputSchema,
      outputSchema: action?.outputSchema,
      deprecated: capability.deprecated,
      deprecatedSince: capability.deprecatedSince,
      removalNotBefore: capability.removalNotBefore,
    }),
    effect: capability.effect ?? DEFAULT_EFFECT,
    endpoint: {
      transport: 'http',
      address: brokerAddress(source.baseUrl, source.runtimeId, capability.name),
      auth: capability.requiresEndUser ? 'custom:end-user-token' : 'none',
    },
  }
}

/**
 * A web address as the URI of RFC 3986, which is stricter than what browsers take, for documents that ask for one.
 * User name and password are removed.
 */
export function toUri(address: string): string {
  const { protocol, host, pathname, search, hash } = new URL(address)
  const path = [pathname, search].map(escapeForUri).join('')
  return `${protocol}//${host}${path}${hash && `#${escapeForUri(hash.slice(1))}`}`
}

/** Whether an address is a URI as it is written, and keeps no user name. */
function isUri(address: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+(?:[/?](?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)?(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)?$/i.test(
    address,
  )
}

function escapeForUri(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%]/g, encodeURIComponent)
}

interface NamespaceSource {
  manifest: {
    adp?: { namespace: string } | null | undefined
    website?: { url?: string | undefined } | null | undefined
  }
  runtimeId: string
}

type NamespaceResult = { ok: true; value: string } | { ok: false; problem: string }

/** The namespace under which a deployment is published, or why there is none. */
export function discoveryNamespace({ manifest, runtimeId }: NamespaceSource): NamespaceResult {
  if (manifest.adp) return { ok: true, value: manifest.adp.namespace }
  if (!manifest.website) {
    return {
      ok: false,
      problem:
        'The deployment has neither a website block nor adp.namespace: add one of them to svc.config.ts and deploy again.',
    }
  }
  const url = manifest.website.url
  if (url === undefined) return { ok: true, value: namespaceOfRuntime(runtimeId) }
  const reversed = new URL(url).hostname.split('.').reverse().join('.')
  if (namespaceProblem(reversed) === null) return { ok: true, value: reversed }
  return {
    ok: false,
    problem: `No namespace follows from website.url (${url}): set adp.namespace in svc.config.ts, such as “com.example.shop”, and deploy again.`,
  }
}

// A website without an address has no host: the namespace is made of the runtime’s id.
function namespaceOfRuntime(runtimeId: string): string {
  return `svc.r${runtimeId.replace(/^rt_/, '').replace(/[^A-Za-z0-9]/g, '')}`.slice(0, 63)
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

// Absent fields must be absent, not undefined: the document is compared and hashed byte by byte.
function defined<T extends Record<string, unknown>>(fields: T): Defined<T> {
  const kept: Defined<T> = {}
  for (const key in fields) {
    const value = fields[key]
    if (isDefined(value)) kept[key] = value
  }
  return kept
}

function isDefined<V>(value: V): value is Exclude<V, undefined> {
  return value !== undefined
}
