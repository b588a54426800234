import type { DeploymentManifest, DeployResponse } from '@svc/contract'
import type { Terminal } from '../terminal/terminal.ts'

/** What was published, what the server has to say about it, and what the model will not know how to call. */
export function reportDeployment(terminal: Terminal, deployment: DeployResponse): void {
  terminal.success(`Deployment ${deployment.version} is ${deployment.status}.`)
  for (const { name } of deployment.capabilities) terminal.line(`  ${name}`)
  for (const warning of deployment.warnings) terminal.warn(warning)
  for (const { name, hasInputSchema } of deployment.capabilities) {
    if (!hasInputSchema) warnNoSchema(terminal, name)
  }
}

/** What would have been published. */
export function reportDryRun(terminal: Terminal, manifest: DeploymentManifest): void {
  terminal.success('Everything is in order. Nothing was published (--dry-run).')
  for (const { name } of manifest.capabilities) terminal.line(`  ${name}`)
  for (const { name, actions } of manifest.capabilities) {
    if (!actions[0]?.inputSchema) warnNoSchema(terminal, name)
  }
}

function warnNoSchema(terminal: Terminal, name: string): void {
  terminal.warn(
    `“${name}” has no input schema, so the model is told that it takes no parameters. Give it an \`input\`.`,
  )
}
