import type { RuntimeStatus } from '@svc/contract'
import { isOutOfReach, mcpAddress, mcpHosts } from '@svc/contract/mcp-hosts'
import { refused } from '../control-plane/faults.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { type KeyedProject, loadKeyedProject } from '../project/load-project.ts'
import { bold } from '../terminal/piece.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `svc mcp`: the address of the runtime as an MCP server, and what hosts of agents are told. */
export async function showMcp(deps: CliDeps, terminal: Terminal): Promise<void> {
  const project = await loadKeyedProject(deps, terminal)
  const status = await served(deps, terminal, project)
  const { runtimeId, deployment, capabilities } = status
  const url = mcpAddress(project.baseUrl, runtimeId)
  const hosts = mcpHosts({ title: status.name ?? runtimeId, url })
  terminal.line(bold(url))
  for (const { name, place, text } of hosts) {
    terminal.line()
    terminal.line(bold(name))
    terminal.line(place)
    for (const line of text.split('\n')) terminal.line('  ', line)
  }
  terminal.line()
  if (isOutOfReach(url))
    terminal.note(`Claude’s connectors and ChatGPT reach servers on the internet alone, not ${project.baseUrl}.`)
  terminal.result({ runtimeId, url, deployment: deployment?.version ?? null, capabilities, hosts })
}

/** What is live. Without a deployment or an endpoint the address is a 404. */
async function served(deps: CliDeps, terminal: Terminal, project: KeyedProject): Promise<RuntimeStatus> {
  const done = terminal.progress(`Asking ${project.baseUrl}`)
  const status = await readStatus(deps, project).finally(done)
  if (!status.ok) throw refused(status.refusal)
  const { runtimeId, deployment, endpoint } = status.value
  if (deployment === null) {
    throw projectFailure(`${runtimeId} is no MCP server yet: nothing was deployed to it.`, ['Run `svc deploy`.'])
  }
  if (endpoint === null) {
    throw projectFailure(`${runtimeId} is no MCP server yet: it has no endpoint.`, [
      'Set `endpoint` in svc.config.ts to the address of your capabilities, and run `svc deploy`.',
    ])
  }
  return status.value
}
