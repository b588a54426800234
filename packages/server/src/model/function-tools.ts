import type { JsonObject } from '@svc/contract'
import type { ModelTool } from './model.ts'
import type { FunctionTool } from './turn-source.ts'

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false }

/** Tools in the AI SDK's form. Left out where there are none, because providers refuse an empty list. */
export function functionTools(tools: readonly ModelTool[]): { tools?: FunctionTool[]; toolChoice?: { type: 'auto' } } {
  return tools.length === 0 ? {} : { tools: tools.map(functionTool), toolChoice: { type: 'auto' } }
}

// Providers refuse a schema without a top-level type. The cast holds because a deployment compiles every schema.
function functionTool({ name, description, inputSchema }: ModelTool): FunctionTool {
  const schema = { type: 'object', ...(inputSchema ?? NO_PARAMETERS) } as FunctionTool['inputSchema']
  return { type: 'function', name, description, inputSchema: schema }
}
