import type { Capability, Generator, JsonObject } from '@svc/contract'
import { sortKeys } from '../sort-keys.ts'

/** Writes the types of the capabilities for `defineTest`, each from its schemas. A schema’s JSON is a type as it stands. */
export const testTypesGenerator: Generator = {
  name: 'test-types',
  inputs: ({ capabilities, cliVersion }) => ({ capabilities, cliVersion }),
  generate: ({ capabilities }) => [{ path: 'capabilities.d.ts', contents: declarations(capabilities) }],
}

function declarations(capabilities: readonly Capability[]): string {
  const members = capabilities.map(memberOf).sort()
  return `import type { FromJsonSchema } from '@svc/sdk'

declare module '@svc/sdk/testing' {
  interface TestTypes {
    readonly capabilities: {
${members.join('')}    }
  }
}
`
}

function memberOf({ name, actions: [action] }: Capability): string {
  const { inputSchema = { type: 'object' }, outputSchema = {} } = action ?? {}
  const type = (schema: JsonObject) => `FromJsonSchema<${JSON.stringify(sortKeys(schema))}>`
  return `      ${JSON.stringify(name)}: { input: ${type(inputSchema)}; output: ${type(outputSchema)} }\n`
}
