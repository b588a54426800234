import type { DeploymentManifestInput, JsonObject } from '@svc/contract'

/** Manifests of about a megabyte and 128 capabilities, whose schemas take little or much to compile, or to compare. */
export const KINDS = ['long texts', 'many fields', 'deep schemas'] as const

const CAPABILITIES = 128
const SCHEMA_BYTES = 7_700

const SCHEMAS: Readonly<Record<(typeof KINDS)[number], (version: number) => JsonObject>> = {
  'long texts': () => ({ type: 'object', description: 'x'.repeat(SCHEMA_BYTES) }),
  'many fields': () => ({ type: 'object', properties: fields(85) }),
  'deep schemas': (version) => ({ type: 'object', properties: { [`tree${version}`]: {}, tree: deep(version) } }),
}

/** Of two versions, where these differ; each is compared with the one that it replaces. */
export function drawManifest(kind: (typeof KINDS)[number], version: number): DeploymentManifestInput {
  const inputSchema = SCHEMAS[kind](version)
  return {
    schemaVersion: 2,
    capabilities: Array.from({ length: CAPABILITIES }, (_, at) => capabilityOf(inputSchema, at)),
  }
}

/** 400 KB of schemas that take seconds to compile; the last one is invalid, so that the manifest is refused. */
export function drawRefusedManifest(): DeploymentManifestInput {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [
      `field${at}`,
      { pattern: `^[a-z]{1,9}${at}$`, description: 'x'.repeat(80) },
    ]),
  )
  const slow: JsonObject = { type: 'object', properties }
  return { schemaVersion: 2, capabilities: [...Array(7).fill(slow), { type: 'objekt' }].map(capabilityOf) }
}

/** One capability with a small schema. */
export function drawSmallManifest(): DeploymentManifestInput {
  return { schemaVersion: 2, capabilities: [capabilityOf({ type: 'object', properties: fields(3) }, 0)] }
}

function capabilityOf(inputSchema: JsonObject, at: number) {
  const name = `capability-${at}`
  return { name, version: '1.0.0', description: `Does ${at}.`, actions: [{ name, inputSchema }] }
}

/** Fields below twenty objects, the innermost of which differs between versions. */
function deep(version: number): JsonObject {
  let schema: JsonObject = { type: 'object', properties: fields(75), required: [`field${version}`] }
  for (let depth = 0; depth < 20; depth += 1) schema = { type: 'object', additionalProperties: schema }
  return schema
}

function fields(count: number): JsonObject {
  const field = { type: 'string', description: 'One of very many fields.' }
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, { ...field, maxLength: at + 1 }]))
}
