import type { DeploymentManifest, RuntimeStatus } from '@svc/contract'
import { type Difference, differenceOf, printDifference } from '../control-plane/difference.ts'
import { endpointWarnings } from '../control-plane/endpoint-warnings.ts'
import { refused } from '../control-plane/faults.ts'
import { lookUpServing, type Serving } from '../control-plane/look-up-serving.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps } from '../deps.ts'
import { compileProject } from '../project/compile-project.ts'
import { type KeyedProject, loadKeyedProject } from '../project/load-project.ts'
import { announcedRemoval } from '../terminal/announced-removal.ts'
import { columns } from '../terminal/columns.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `svc status`: what is live comes first, so that local code that does not load cannot hide it. */
export async function showStatus(deps: CliDeps, terminal: Terminal): Promise<void> {
  const project = await loadKeyedProject(deps, terminal)
  const { status, serving } = await live(deps, terminal, project)
  for (const line of columns(facts(status))) terminal.line(line)
  terminal.line()
  warnOfOtherRuntime(terminal, project, status)
  const warnings = endpointWarnings(status)
  for (const warning of warnings) terminal.warn(warning)

  const { manifest } = await compileProject(deps, project)
  const difference = differenceFrom(serving, manifest)
  const inSync = difference && status.deployment !== null && difference.changes.length === 0
  terminal.result({ baseUrl: project.baseUrl, ...status, name: status.name ?? null, inSync, difference, warnings })
  if (!serving.ok) return terminal.note(`Not compared with what is live: ${serving.reason}`)
  if (inSync) return terminal.success('in sync')
  terminal.line('out of sync: this project differs from what is live')
  if (difference) printDifference(terminal, difference)
  for (const line of adviceFor(status)) terminal.line(line)
}

// A deploy key reads the stable deployment alone: whether this project is the candidate, its owner knows.
function adviceFor({ candidate }: RuntimeStatus): string[] {
  if (!candidate) return ['Run `svc deploy` to publish this project.']
  return [
    `If this project is deployment ${candidate.version}, the candidate, run \`svc promote\` to serve it to everybody.`,
    'Otherwise run `svc deploy --traffic <percent>`: it publishes this project as the new candidate.',
  ]
}

function differenceFrom(serving: Serving, manifest: DeploymentManifest): Difference | null {
  return serving.ok ? differenceOf(serving.view, manifest) : null
}

type Live = { readonly status: RuntimeStatus; readonly serving: Serving }

async function live(deps: CliDeps, terminal: Terminal, project: KeyedProject): Promise<Live> {
  const done = terminal.progress(`Asking ${project.baseUrl}`)
  try {
    const status = await readStatus(deps, project)
    if (!status.ok) throw refused(status.refusal)
    return { status: status.value, serving: await lookUpServing(deps, project, status.value) }
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
    ...(status.candidate ? candidateFacts(status.candidate) : []),
    ['connection', connection.status],
    ['transport', connection.transport],
    ['health', status.health],
    ...(status.endpoint === undefined ? [] : [['endpoint', status.endpoint ?? 'none'] satisfies [string, string]]),
    ['provider', provider.name],
    ['model', provider.model],
    ['capabilities', String(status.capabilities.length)],
    ...status.deprecated.map((capability): [string, string] => [
      'deprecated',
      `${capability.name} ${announcedRemoval(capability)}`,
    ]),
    ...status.effects.map((noted): [string, string] => ['effect', effectOf(noted)]),
    ...(status.unknownCalls > 0 ? [unknownFact(status.unknownCalls)] : []),
    ...(status.waitingApprovals > 0 ? [waitingFact(status.waitingApprovals)] : []),
  ]
}

function candidateFacts({ version, traffic, frozen }: NonNullable<RuntimeStatus['candidate']>): [string, string][] {
  return [
    ['candidate', `${version}, serves ${traffic} %`],
    ...(frozen ? [['frozen', `${frozen.at}: ${frozen.reason}`] satisfies [string, string]] : []),
  ]
}

function effectOf({ name, effect, confirm }: RuntimeStatus['effects'][number]): string {
  return `${name} ${effect}${confirm ? ', a person approves each call' : ''}`
}

function unknownFact(count: number): [string, string] {
  const calls = count === 1 ? '1 call' : `${count} calls`
  return ['unknown', `${calls} of the last 24 hours: the trace of each says what is known`]
}

function waitingFact(count: number): [string, string] {
  return ['approvals', count === 1 ? '1 call waits for a person' : `${count} calls wait for a person`]
}
