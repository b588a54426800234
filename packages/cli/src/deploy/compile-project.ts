import type { DeploymentManifest } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { describeRuntime } from '../project/describe-runtime.ts'
import { discoverRuntime } from '../project/discover-runtime.ts'
import { installedSdkVersion } from '../project/installed-sdk-version.ts'
import type { Project } from '../project/load-project.ts'
import { compileManifest } from './compile-manifest.ts'

export type CompiledProject = { readonly manifest: DeploymentManifest; readonly sdkVersion: string | null }

/** What the project would publish: its runtime module found, its capabilities described, the manifest of both checked. */
export async function compileProject(deps: Pick<CliDeps, 'cwd'>, project: Project): Promise<CompiledProject> {
  const module = await discoverRuntime(deps, project)
  const capabilities = describeRuntime(deps, module)
  const sdkVersion = installedSdkVersion(module.file)
  return { manifest: compileManifest({ config: project.config, capabilities, sdkVersion }), sdkVersion }
}
