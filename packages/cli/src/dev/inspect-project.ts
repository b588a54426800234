import type { Runtime } from '@svc/sdk'
import type { CliDeps } from '../deps.ts'
import { compileProject } from '../project/compile-project.ts'
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
  const { runtime, manifest } = await compileProject(deps, project)
  const capabilities = manifest.capabilities.map((each) => listed(each, runtime.find(each.name)))
  return { project, runtime, capabilities }
}
