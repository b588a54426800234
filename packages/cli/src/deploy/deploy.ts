import type { CliDeps } from '../deps.ts'
import { describeRuntime } from '../project/describe-runtime.ts'
import { discoverRuntime } from '../project/discover-runtime.ts'
import { installedSdkVersion } from '../project/installed-sdk-version.ts'
import { loadProject } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { compileManifest } from './compile-manifest.ts'
import { pushManifest } from './push-manifest.ts'
import { reportDeployment, reportDryRun } from './report-deployment.ts'
import { showDifference } from './show-difference.ts'

/** `svc deploy`: everything is checked before the first request, and the first fault ends it. */
export async function deploy(deps: CliDeps, terminal: Terminal, input: { isDryRun: boolean }): Promise<void> {
  const project = await loadProject(deps, terminal)
  const module = await discoverRuntime(deps, project)
  const capabilities = describeRuntime(deps, module)
  const manifest = compileManifest({
    config: project.config,
    capabilities,
    sdkVersion: installedSdkVersion(module.file),
  })

  const who = { baseUrl: project.baseUrl, apiKey: project.config.apiKey }
  await showDifference(deps, who, { terminal, local: manifest.capabilities.map(({ name }) => name) })
  if (input.isDryRun) return reportDryRun(terminal, manifest)

  const deployment = await pushManifest(deps, who, manifest)
  reportDeployment(terminal, deployment)
}
