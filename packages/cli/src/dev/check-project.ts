import type { CliDeps } from '../deps.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { inspectProject } from './inspect-project.ts'
import { printCapabilities } from './list/print-capabilities.ts'

/** `svc dev --check`: the list of capabilities, or every fault in them. */
export async function checkProject(deps: CliDeps, terminal: Terminal): Promise<void> {
  const { capabilities } = await inspectProject(deps, terminal)
  printCapabilities(terminal, capabilities)
  terminal.success(
    capabilities.length === 1 ? '1 capability is in order.' : `${capabilities.length} capabilities are in order.`,
  )
  terminal.result({ capabilities: [...capabilities] })
}
