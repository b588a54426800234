import { examineEndpoint, failedChecks } from '../control-plane/examine-endpoint.ts'
import type { CliDeps } from '../deps.ts'
import { CommandFailure } from '../failures.ts'
import { loadKeyedProject } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `svc doctor`: the endpoint that is registered, as the control plane finds it. */
export async function runDoctor(deps: CliDeps, terminal: Terminal): Promise<void> {
  const who = await loadKeyedProject(deps, terminal)
  const report = await examineEndpoint(deps, terminal, { who })
  if (!report.ok) throw new CommandFailure('failure', failedChecks(report), [], { found: { rows: report.rows } })
  terminal.success('The registered endpoint passes every check.')
  terminal.result({ rows: report.rows })
}
