import type { DeploymentManifest, DeployResponse } from '@svc/contract'
import type { Terminal } from '../terminal/terminal.ts'

type Published = { readonly name: string; readonly hasInputSchema: boolean }

/** How a deployment ended, or what it would have published. */
export type Outcome = {
  readonly deployment: { readonly version: number; readonly status: string } | null
  /** Whether a deployment was made. */
  readonly published: boolean
  readonly capabilities: readonly Published[]
  readonly warnings: readonly string[]
}

type Deployed = {
  readonly deployment: DeployResponse
  /** Percent that a candidate serves. */
  readonly traffic: number | null
  readonly ofEndpoint: readonly string[]
}

/** Prints the published deployment, the server’s warnings, and inputs that a model cannot know how to fill. */
export function reportDeployment(
  terminal: Terminal,
  { deployment, traffic, isListed, ofEndpoint }: Deployed & { isListed: boolean },
): Outcome {
  const { version, status, capabilities } = deployment
  const warnings = [...deployment.warnings, ...withoutSchema(capabilities), ...ofEndpoint]
  const share = traffic === null ? '' : ` and serves ${traffic === 0 ? 'nobody yet' : `${traffic} %`}`
  terminal.success(`Deployment ${version} is ${traffic === null ? status : 'the candidate'}${share}.`)
  if (traffic !== null)
    terminal.line('Promote it with `svc promote`, or change its share with `svc promote --traffic <percent>`.')
  if (isListed) list(terminal, capabilities)
  for (const warning of warnings) terminal.warn(warning)
  return { deployment: { version, status }, published: true, capabilities, warnings }
}

type Unpublished = { readonly manifest: DeploymentManifest; readonly expected: readonly string[] }

/** The manifest that would have been published, and the warnings that the control plane is expected to give. */
export function reportDryRun(
  terminal: Terminal,
  { manifest, isListed, expected }: Unpublished & { isListed: boolean },
): Outcome {
  const capabilities = publishable(manifest)
  const warnings = [...expected, ...withoutSchema(capabilities)]
  terminal.success('Everything is in order. Nothing was published (--dry-run).')
  if (isListed) list(terminal, capabilities)
  for (const warning of warnings) terminal.warn(warning)
  return { deployment: null, published: false, capabilities, warnings }
}

/** That nothing had to be published. */
export function reportUnchanged(
  terminal: Terminal,
  { manifest, version, expected }: Unpublished & { version: number },
): Outcome {
  const capabilities = publishable(manifest)
  const warnings = [...expected, ...withoutSchema(capabilities)]
  terminal.success(`Deployment ${version} serves this already. Nothing was published (--if-changed).`)
  for (const warning of warnings) terminal.warn(warning)
  return { deployment: { version, status: 'active' }, published: false, capabilities, warnings }
}

function publishable({ capabilities }: DeploymentManifest): Published[] {
  return capabilities.map(({ name, actions }) => ({ name, hasInputSchema: actions[0]?.inputSchema !== undefined }))
}

function list(terminal: Terminal, capabilities: readonly Published[]): void {
  for (const { name } of capabilities) terminal.line(`  ${name}`)
}

function withoutSchema(capabilities: readonly Published[]): string[] {
  return capabilities
    .filter(({ hasInputSchema }) => !hasInputSchema)
    .map(
      ({ name }) =>
        `“${name}” has no input schema, so the model is told that it takes no parameters. Give it an \`input\`.`,
    )
}
