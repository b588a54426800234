import type { JsonObject } from '@svc/contract'
import type { FunctionTool } from './language-model.ts'
import type { ModelTool } from './model.ts'

/** Capabilities as the provider libraries take them; none where there are none, since providers refuse an empty list. */
export function toFunctionTools(tools: readonly ModelTool[]): {
  tools?: FunctionTool[]
  toolChoice?: { type: 'auto' }
} {
  if (tools.length === 0) return {}
  return { tools: tools.map(toFunctionTool), toolChoice: { type: 'auto' } }
}

function toFunctionTool({ name, description, inputSchema }: ModelTool): FunctionTool {
  return { type: 'function', name, description, inputSchema: asJsonSchema(inputSchema ?? NO_PARAMETERS) }
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false }

// Providers want an object at the top and say so by refusing the request; a schema that leaves it out means one.
// The cast holds because deployment has compiled every schema: what arrives here is valid JSON Schema.
function asJsonSchema(schema: JsonObject): FunctionTool['inputSchema'] {
  return { type: 'object', ...schema } as FunctionTool['inputSchema']
}
