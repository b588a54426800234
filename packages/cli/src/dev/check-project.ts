import type { CliDeps } from '../deps.ts'
import { countedCapabilities } from '../terminal/counted-capabilities.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { inspectProject } from './inspect-project.ts'
import { printCapabilities } from './list/print-capabilities.ts'
import { typeCheck } from './type-check.ts'

/** `svc dev --check`: the list of capabilities, or every fault in them. */
export async function checkProject(deps: CliDeps, terminal: Terminal): Promise<void> {
  const { project, capabilities } = await inspectProject(deps, terminal)
  printCapabilities(terminal, capabilities)
  const done = terminal.progress('Checking types')
  const isTypeChecked = await typeCheck(project.folder).finally(done)
  const verb = capabilities.length === 1 ? 'is' : 'are'
  terminal.success(`${countedCapabilities(capabilities.length)} ${verb} in order.`)
  terminal.result({ capabilities: [...capabilities], isTypeChecked })
}
