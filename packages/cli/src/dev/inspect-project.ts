import type { Runtime } from '@svc/sdk'
import { compileManifest } from '../deploy/compile-manifest.ts'
import type { CliDeps } from '../deps.ts'
import { describeRuntime } from '../project/describe-runtime.ts'
import { discoverRuntime } from '../project/discover-runtime.ts'
import { installedSdkVersion } from '../project/installed-sdk-version.ts'
import { loadProject, type Project } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type ListedCapability, listed } from './list/listed-capability.ts'

export type InspectedProject = {
  readonly project: Project
  readonly runtime: Runtime
  readonly capabilities: readonly ListedCapability[]
}

/** Loads the project and checks what it would publish; the faults of a step come together. No key is needed. */
export async function inspectProject(
  deps: Pick<CliDeps, 'env' | 'cwd' | 'configFile'>,
  terminal: Terminal,
): Promise<InspectedProject> {
  const project = await loadProject(deps, terminal)
  const module = await discoverRuntime(deps, project)
  const described = describeRuntime(deps, module)
  compileManifest({ config: project.config, capabilities: described, sdkVersion: installedSdkVersion(module.file) })
  const { runtime } = module
  return { project, runtime, capabilities: described.map((each) => listed(each, runtime.find(each.name))) }
}
