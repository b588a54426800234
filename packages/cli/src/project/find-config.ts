import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'

const CONFIG_FILE = 'svc.config.ts'

type Deps = Pick<CliDeps, 'cwd' | 'configFile'>

/** Path of the project’s configuration: the one that was named, else the nearest `svc.config.ts`; null without one. */
export function findConfig({ cwd, configFile }: Deps): string | null {
  return configFile ?? nearest(cwd)
}

/** As {@link findConfig}, for what cannot do without. */
export function configFileOf(deps: Deps): string {
  const found = findConfig(deps)
  if (found !== null) return found
  throw projectFailure(`There is no ${CONFIG_FILE} in ${deps.cwd} or any folder above it.`, [
    'Change to the project’s folder, make a project with `svc init`, or create the file:',
    '',
    "  import { defineConfig } from '@svc/sdk'",
    '  export default defineConfig({ apiKey: process.env.SVC_API_KEY })',
  ])
}

function nearest(folder: string): string | null {
  const candidate = join(folder, CONFIG_FILE)
  if (existsSync(candidate)) return candidate
  return dirname(folder) === folder ? null : nearest(dirname(folder))
}
