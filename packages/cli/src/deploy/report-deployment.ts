import type { DeploymentManifest, DeployResponse } from '@svc/contract'
import type { Terminal } from '../terminal/terminal.ts'

type Published = { readonly name: string; readonly hasInputSchema: boolean }

/** How a deployment ended, or what it would have published. */
export type Outcome = {
  readonly deployment: { readonly version: number; readonly status: string } | null
  readonly capabilities: readonly Published[]
  readonly warnings: readonly string[]
}

/** What was published, what the server has to say about it, and what the model will not know how to call. */
export function reportDeployment(
  terminal: Terminal,
  { deployment, isListed }: { deployment: DeployResponse; isListed: boolean },
): Outcome {
  const { version, status, capabilities } = deployment
  const warnings = [...deployment.warnings, ...withoutSchema(capabilities)]
  terminal.success(`Deployment ${version} is ${status}.`)
  if (isListed) list(terminal, capabilities)
  for (const warning of warnings) terminal.warn(warning)
  return { deployment: { version, status }, capabilities, warnings }
}

/** What would have been published. */
export function reportDryRun(
  terminal: Terminal,
  { manifest, isListed }: { manifest: DeploymentManifest; isListed: boolean },
): Outcome {
  const capabilities = manifest.capabilities.map(({ name, actions }) => ({
    name,
    hasInputSchema: actions[0]?.inputSchema !== undefined,
  }))
  const warnings = withoutSchema(capabilities)
  terminal.success('Everything is in order. Nothing was published (--dry-run).')
  if (isListed) list(terminal, capabilities)
  for (const warning of warnings) terminal.warn(warning)
  return { deployment: null, capabilities, warnings }
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
