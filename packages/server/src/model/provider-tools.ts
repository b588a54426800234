import type { JsonObject } from '@svc/contract'
import { type JSONSchema7, jsonSchema, type ToolSet, tool } from 'ai'
import type { ModelTool } from './model.ts'

/** Capabilities as the provider library takes them. None can be executed by it: the loop runs them. */
export function toToolSet(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(asJsonSchema(inputSchema ?? NO_PARAMETERS)) }),
    ]),
  )
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false }

// Providers want an object at the top and say so by refusing the request; a schema that leaves it out means one.
// The cast holds because deployment has compiled every schema: what arrives here is valid JSON Schema.
function asJsonSchema(schema: JsonObject): JSONSchema7 {
  return { type: 'object', ...schema } as JSONSchema7
}
