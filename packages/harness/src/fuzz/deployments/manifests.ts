import type { DeploymentManifestInput, JsonObject } from '@svc/contract'

/** Manifests of about a megabyte and 128 capabilities, whose schemas take little or much to compile. */
export const KINDS = ['long texts', 'many fields'] as const

const CAPABILITIES = 128
const SCHEMA_BYTES = 7_700

const SCHEMAS: Readonly<Record<(typeof KINDS)[number], () => JsonObject>> = {
  'long texts': () => ({ type: 'object', description: 'x'.repeat(SCHEMA_BYTES) }),
  'many fields': () => ({ type: 'object', properties: fields(85) }),
}

export function drawManifest(kind: (typeof KINDS)[number]): DeploymentManifestInput {
  const inputSchema = SCHEMAS[kind]()
  const capabilities = Array.from({ length: CAPABILITIES }, (_, at) => {
    const name = `capability-${at}`
    return { name, version: '1.0.0', description: `Does ${at}.`, actions: [{ name, inputSchema }] }
  })
  return { schemaVersion: 2, capabilities }
}

function fields(count: number): JsonObject {
  const field = { type: 'string', description: 'One of very many fields.' }
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, { ...field, maxLength: at + 1 }]))
}
