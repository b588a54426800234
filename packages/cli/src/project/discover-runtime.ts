import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { isRuntime, type Runtime } from '@svc/sdk'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { loadModule } from './load-module.ts'
import type { Project } from './load-project.ts'

export type RuntimeModule = { readonly file: string; readonly runtime: Runtime }

/** Loads the project’s runtime module and takes the Runtime that it exports, as default or as `runtime`. */
export async function discoverRuntime(deps: Pick<CliDeps, 'cwd'>, project: Project): Promise<RuntimeModule> {
  const file = resolve(project.folder, project.config.runtime)
  const shown = relative(deps.cwd, file)
  if (!existsSync(file)) {
    throw projectFailure(`There is no runtime module at ${shown}.`, [
      'Create it, or set `runtime` in svc.config.ts to the path of the module that exports the runtime.',
    ])
  }
  const exports = await loadModule(file, { folder: project.folder, cwd: deps.cwd })
  const runtime = [exports['default'], exports['runtime']].find(isRuntime)
  if (runtime) return { file, runtime }
  throw projectFailure(`${shown} exports no runtime.`, [
    'Export what defineRuntime({ capabilities }) returns, as default or under the name `runtime`.',
    `It exports ${Object.keys(exports).sort().join(', ') || 'nothing'}.`,
  ])
}
