import type { RuntimeStatus } from '@svc/contract'
import { compareNames, isInSync, printDifference } from '../control-plane/compare-names.ts'
import { refused } from '../control-plane/faults.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps } from '../deps.ts'
import { describeRuntime } from '../project/describe-runtime.ts'
import { discoverRuntime } from '../project/discover-runtime.ts'
import { loadProject } from '../project/load-project.ts'
import { columns } from '../terminal/columns.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `svc status`: what is live comes first, so that local code that does not load cannot hide it. */
export async function showStatus(deps: CliDeps, terminal: Terminal): Promise<void> {
  const project = await loadProject(deps, terminal)
  const answer = await readStatus(deps, { baseUrl: project.baseUrl, apiKey: project.config.apiKey })
  if (!answer.ok) throw refused(answer.refusal)
  for (const line of columns(facts(answer.value))) terminal.line(line)
  terminal.line()

  const local = describeRuntime(deps, await discoverRuntime(deps, project)).map(({ name }) => name)
  const difference = compareNames(local, answer.value.capabilities)
  if (answer.value.deployment && isInSync(difference)) return terminal.success('in sync (by name)')
  terminal.line('out of sync: this project differs from what is live')
  printDifference(terminal, difference)
  terminal.line('Run `svc deploy` to publish this project.')
}

function facts(status: RuntimeStatus): [string, string][] {
  const { deployment, connection, provider } = status
  return [
    ['runtime', status.runtimeId],
    ['deployment', deployment ? String(deployment.version) : 'none yet'],
    ['status', deployment?.status ?? '-'],
    ['deployed at', deployment?.deployedAt ?? '-'],
    ['connection', connection.status],
    ['transport', connection.transport],
    ['health', status.health],
    ['provider', provider.name],
    ['model', provider.model],
    ['capabilities', String(status.capabilities.length)],
    ...status.deprecated.map((capability): [string, string] => ['deprecated', announcement(capability)]),
  ]
}

function announcement({ name, deprecatedSince, removalNotBefore }: RuntimeStatus['deprecated'][number]): string {
  const removal = removalNotBefore === null ? '' : `, not removed before ${removalNotBefore}`
  return `${name} since ${deprecatedSince}${removal}`
}
