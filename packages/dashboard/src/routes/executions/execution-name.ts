import type { Schemas } from '../../api/client.ts'

type Execution = Pick<Schemas['ExecutionSummary'], 'capability' | 'capabilityCalls' | 'kind' | 'surface'>

/** What an execution did, in a word or two: the capabilities that it called, or that it was a chat. */
export function nameOf({ capability, capabilityCalls, kind }: Execution): string {
  if (capability === null) return kind === 'execute' ? 'Chat' : 'Call'
  return capabilityCalls > 1 ? `${capability} +${capabilityCalls - 1}` : capability
}

const KINDS = { execute: 'Chat', capability: 'Page', broker: 'Anonymous' } as const

/** Where it came from, as a list says it. */
export function sourceOf({ kind, surface }: Pick<Execution, 'kind' | 'surface'>): string {
  return surface === 'mcp' ? 'MCP' : KINDS[kind]
}
