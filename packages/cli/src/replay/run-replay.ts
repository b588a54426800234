import {
  DEFAULT_EFFECT,
  DeploymentDetail,
  DeploymentList,
  type DeploymentManifest,
  endpointProblem,
  RuntimeDetail,
} from '@svc/contract'
import { type AccountSource, accountSource } from '../control-plane/account-source.ts'
import type { CliDeps } from '../deps.ts'
import { CommandFailure, projectFailure, usageFailure } from '../failures.ts'
import { shown } from '../json-differences.ts'
import { compileProject } from '../project/compile-project.ts'
import { endUserTokenOf } from '../project/end-user-token.ts'
import { loadProject } from '../project/load-project.ts'
import { dim, green, red, yellow } from '../terminal/piece.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withoutTokenIn } from '../terminal/without-token.ts'
import { type ComparedCapability, compare, isBeyondNoise, type ReplayDifference } from './compare.ts'
import { accountReader, type Read } from './read-account.ts'
import { readSender } from './send-reads.ts'
import { storedInputs } from './stored-inputs.ts'

type Input = {
  readonly version: number
  readonly endpoint: string | null
  readonly isLocal: boolean
  readonly limit: number
}

/** `svc replay`: what a candidate answers to stored inputs, beside what serves. Nothing but reads is called. */
export async function runReplay(deps: CliDeps, terminal: Terminal, input: Input): Promise<void> {
  const project = await loadProject(deps, terminal)
  const source = await accountSource(deps, { env: deps.env, baseUrl: project.baseUrl })
  const read = accountReader(deps, source)
  const { stable, candidate, endpoint } = await deployments(read, source, input.version)
  const signer = identity(deps, source)
  const local = input.isLocal ? await compileProject(deps, project) : null
  const target = local ?? { endpoint: candidateEndpoint(input, candidate, endpoint), ...signer }
  const endUserToken = endUserTokenOf(deps)
  const manifests = [stable.manifest, candidate.manifest, ...(local ? [local.manifest] : [])]
  const reads = readNames(manifests, endUserToken !== null)
  const done = terminal.progress('Reading stored inputs')
  const stored = await storedInputs(read, { ...source, names: reads, limit: input.limit }).finally(done)
  if (stored.inputs.length === 0) throw nothingToSend(reads)

  const send = (to: Parameters<typeof readSender>[1]) => readSender(deps, to, { reads, endUserToken })
  const sending = terminal.progress(`Sending ${stored.inputs.length} inputs`)
  const sides = { stable: send({ endpoint, ...signer }), candidate: send(target) }
  const capabilities = await compare(stored.inputs, sides).finally(sending)
  const counts = { inputs: stored.inputs.length, cutInputs: stored.cut }
  const hidden = withoutTokenIn(capabilities, endUserToken)
  for (const each of hidden) printCapability(terminal, each)
  if (stored.cut > 0) terminal.note(`Inputs left out, since they were too large to be stored whole: ${stored.cut}`)
  const found = { stable: stable.version, candidate: candidate.version, ...counts, capabilities: hidden }
  report(terminal, hidden, found)
}

function report(terminal: Terminal, capabilities: readonly ComparedCapability[], found: Record<string, unknown>): void {
  const differing = capabilities.filter(({ differences }) => differences.some(isBeyondNoise)).length
  const message = `${differing} of ${capabilities.length} capabilities answer differently.`
  if (differing > 0) throw new CommandFailure('failure', message, [], { found })
  terminal.success('The candidate answers as what serves does.')
  terminal.result(found)
}

type Sides = { readonly stable: DeploymentDetail; readonly candidate: DeploymentDetail; readonly endpoint: string }

async function deployments(read: Read, { runtimeId }: AccountSource, version: number): Promise<Sides> {
  const path = `/v1/runtimes/${runtimeId}`
  const { endpoint } = await read(path, RuntimeDetail.pick({ endpoint: true }))
  const { deployments: listed } = await read(`${path}/deployments?limit=200`, DeploymentList)
  const active = listed.find(({ status }) => status === 'active')
  if (!active || endpoint === null) {
    throw projectFailure(
      `${runtimeId} serves nothing to compare with: it has no ${active ? 'endpoint' : 'deployment'}.`,
    )
  }
  if (!listed.some((each) => each.version === version)) {
    const versions = listed.slice(0, 10).map((each) => `${each.version} (${each.status})`)
    throw usageFailure(`${runtimeId} has no deployment ${version}.`, [`The latest are ${versions.join(', ')}.`])
  }
  const detail = (of: number) => read(`${path}/deployments/${of}`, DeploymentDetail)
  return { stable: await detail(active.version), candidate: await detail(version), endpoint }
}

function candidateEndpoint({ endpoint, version }: Input, { manifest }: DeploymentDetail, stable: string): string {
  const chosen = endpoint ?? manifest.endpoint ?? stable
  const problem = endpointProblem(chosen)
  if (problem !== null) throw usageFailure(`--endpoint ${problem}`)
  if (chosen !== stable || endpoint !== null) return chosen
  throw usageFailure(
    `Deployment ${version} is not known to answer anywhere but at ${stable}, where the stable one does.`,
    ['Name the address of its code with --endpoint, or take --local for the code of this project.'],
  )
}

function identity({ env }: Pick<CliDeps, 'env'>, { runtimeId }: AccountSource) {
  const [secret = ''] = (env['SVC_RUNTIME_SECRET'] ?? '').split(',')
  if (secret.trim() !== '') return { runtimeId, secret: secret.trim() }
  throw projectFailure('SVC_RUNTIME_SECRET is not set: calls to the endpoint are signed with it.', [
    'Put it into .env, beside svc.config.ts.',
  ])
}

/** What every manifest declares to read, needs nobody’s approval, and has the end user that it asks for. */
function readNames(manifests: readonly DeploymentManifest[], hasEndUser: boolean): Set<string> {
  const [first = new Set<string>(), ...others] = manifests.map(({ capabilities }) => {
    const fit = capabilities.filter(({ effect = DEFAULT_EFFECT, confirm, requiresEndUser }) => {
      return effect === 'read' && !confirm && (hasEndUser || !requiresEndUser)
    })
    return new Set(fit.map(({ name }) => name))
  })
  return new Set([...first].filter((name) => others.every((names) => names.has(name))))
}

function nothingToSend(reads: ReadonlySet<string>): CommandFailure {
  if (reads.size > 0) {
    return projectFailure(`No input of ${[...reads].join(', ')} is stored.`, [
      'Only calls of the last days are kept: docs/reference/errors.md.',
    ])
  }
  return projectFailure('There is no capability to replay: both deployments must declare it with effect: read.', [
    'A capability that requires an end user is called with the token in SVC_END_USER_TOKEN alone.',
  ])
}

function printCapability(terminal: Terminal, { name, inputs, differences }: ComparedCapability): void {
  const isSame = !differences.some(isBeyondNoise)
  terminal.line(isSame ? green('✔') : red('✖'), ` ${name}  `, dim(`${inputs} ${inputs === 1 ? 'input' : 'inputs'}`))
  for (const difference of differences) {
    const isReal = isBeyondNoise(difference)
    terminal.line(
      '  ',
      isReal ? red('differs') : yellow('noise  '),
      `  ${difference.path}  `,
      dim(countsText(difference, inputs)),
    )
    if (!isReal) continue
    const { input, stable, candidate } = difference.example
    for (const line of [
      `input      ${shown(input)}`,
      `stable     ${shown(stable)}`,
      `candidate  ${shown(candidate)}`,
    ]) {
      terminal.line('      ', line)
    }
  }
}

function countsText({ inputs: differing, noise }: ReplayDifference, inputs: number): string {
  return `${differing} of ${inputs}; stable against itself ${noise}`
}
