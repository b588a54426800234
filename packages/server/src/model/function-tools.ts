import type { JsonObject } from '@svc/contract'
import type { ModelTool } from './model.ts'
import type { FunctionTool } from './turn-source.ts'

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false }

/** Capabilities as provider libraries take them. Providers refuse an empty list. */
export function functionTools(tools: readonly ModelTool[]): { tools?: FunctionTool[]; toolChoice?: { type: 'auto' } } {
  return tools.length === 0 ? {} : { tools: tools.map(functionTool), toolChoice: { type: 'auto' } }
}

// Providers refuse a schema whose top level names no type. Deployment has compiled each schema, so the cast holds.
function functionTool({ name, description, inputSchema }: ModelTool): FunctionTool {
  const schema = { type: 'object', ...(inputSchema ?? NO_PARAMETERS) } as FunctionTool['inputSchema']
  return { type: 'function', name, description, inputSchema: schema }
}
