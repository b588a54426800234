import { Capability, type Generator, MANIFEST_SCHEMA_VERSION } from '@svc/contract'
import { z } from 'zod'
import { sortKeys } from '../sort-keys.ts'
import { toDocument } from './to-document.ts'

/** The content of `capabilities.json`. */
export const CapabilityList = z.strictObject({
  schemaVersion: z.literal(MANIFEST_SCHEMA_VERSION),
  capabilities: z.array(Capability),
})

/** Writes the capabilities in one form, whatever the order they were written in: for reviews, diffs and other tools. */
export const capabilityManifestGenerator: Generator = {
  name: 'capability-manifest',
  inputs: ({ capabilities, cliVersion }) => ({ capabilities, cliVersion }),
  generate({ capabilities }) {
    const list = { schemaVersion: MANIFEST_SCHEMA_VERSION, capabilities: capabilities.map(canonical).sort(byName) }
    return [{ path: 'capabilities.json', contents: toDocument(list) }]
  },
}

// The fields in the order in which one reads them, and schemas, which people write in any order, by name.
function canonical(capability: Capability): Capability {
  const { name, version, description, requiresEndUser, actions, ...announced } = capability
  return {
    name,
    version,
    description,
    requiresEndUser,
    ...announced,
    actions: actions.map(({ name: action, inputSchema, outputSchema }) => ({
      name: action,
      ...(inputSchema && { inputSchema: sortKeys(inputSchema) }),
      ...(outputSchema && { outputSchema: sortKeys(outputSchema) }),
    })),
  }
}

// By code unit: the order of a locale differs from machine to machine.
function byName(left: Capability, right: Capability): number {
  return left.name < right.name ? -1 : 1
}
