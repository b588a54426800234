import type { RuntimeStatus } from '@svc/contract'
import { compareNames, isInSync } from '../control-plane/compare-names.ts'
import { refused } from '../control-plane/faults.ts'
import { printDifference } from '../control-plane/print-difference.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps } from '../deps.ts'
import { describeModule } from '../project/describe-module.ts'
import { discoverRuntime } from '../project/discover-runtime.ts'
import { type KeyedProject, loadKeyedProject } from '../project/load-project.ts'
import { announcedRemoval } from '../terminal/announced-removal.ts'
import { columns } from '../terminal/columns.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `svc status`: what is live comes first, so that local code that does not load cannot hide it. */
export async function showStatus(deps: CliDeps, terminal: Terminal): Promise<void> {
  const project = await loadKeyedProject(deps, terminal)
  const status = await liveStatus(deps, terminal, project)
  for (const line of columns(facts(status))) terminal.line(line)
  terminal.line()
  warnOfOtherRuntime(terminal, project, status)

  const local = describeModule(deps, await discoverRuntime(deps, project)).map(({ name }) => name)
  const difference = compareNames(local, status.capabilities)
  const inSync = status.deployment !== null && isInSync(difference)
  terminal.result({ baseUrl: project.baseUrl, ...status, name: status.name ?? null, inSync, difference })
  if (inSync) return terminal.success('in sync (by name)')
  terminal.line('out of sync: this project differs from what is live')
  printDifference(terminal, difference)
  terminal.line('Run `svc deploy` to publish this project.')
}

async function liveStatus(deps: CliDeps, terminal: Terminal, project: KeyedProject): Promise<RuntimeStatus> {
  const done = terminal.progress(`Asking ${project.baseUrl}`)
  try {
    const answer = await readStatus(deps, project)
    if (answer.ok) return answer.value
    throw refused(answer.refusal)
  } finally {
    done()
  }
}

function warnOfOtherRuntime(terminal: Terminal, { runtimeId }: KeyedProject, status: RuntimeStatus): void {
  if (runtimeId === null || runtimeId === status.runtimeId) return
  terminal.warn(
    `SVC_RUNTIME_ID is ${runtimeId}, but SVC_API_KEY is a key of ${status.runtimeId}. Correct one of the two.`,
  )
}

function facts(status: RuntimeStatus): [string, string][] {
  const { deployment, connection, provider } = status
  return [
    ['runtime', status.runtimeId],
    ...(status.name === undefined ? [] : [['name', status.name] satisfies [string, string]]),
    ['deployment', deployment ? String(deployment.version) : 'none yet'],
    ['status', deployment?.status ?? '-'],
    ['deployed at', deployment?.deployedAt ?? '-'],
    ['connection', connection.status],
    ['transport', connection.transport],
    ['health', status.health],
    ['provider', provider.name],
    ['model', provider.model],
    ['capabilities', String(status.capabilities.length)],
    ...status.deprecated.map((capability): [string, string] => [
      'deprecated',
      `${capability.name} ${announcedRemoval(capability)}`,
    ]),
  ]
}
