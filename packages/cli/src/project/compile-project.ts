import type { DeploymentManifest } from '@svc/contract'
import type { Runtime } from '@svc/sdk'
import type { CliDeps } from '../deps.ts'
import { compileManifest } from './compile-manifest.ts'
import { deploymentLimits } from './deployment-limits.ts'
import { describeModule } from './describe-module.ts'
import { discoverRuntime } from './discover-runtime.ts'
import { installedSdkVersion } from './installed-version.ts'
import type { Project } from './load-project.ts'

export type CompiledProject = {
  readonly runtime: Runtime
  readonly manifest: DeploymentManifest
  readonly sdkVersion: string | null
}

/** What the project would publish: its runtime module found, its capabilities described, the manifest of both checked. */
export async function compileProject(deps: Pick<CliDeps, 'cwd' | 'env'>, project: Project): Promise<CompiledProject> {
  const limits = deploymentLimits(deps.env)
  const module = await discoverRuntime(deps, project)
  const capabilities = describeModule(deps, module)
  const sdkVersion = installedSdkVersion(module.file)
  const reconcile = module.runtime.effects !== undefined
  const manifest = compileManifest({ config: project.config, capabilities, sdkVersion, reconcile, limits })
  return { runtime: module.runtime, manifest, sdkVersion }
}
