import { dirname } from 'node:path'
import type { CliDeps, Environment } from '../deps.ts'
import { findConfig } from './find-config.ts'
import { readEnvironmentFile } from './read-environment-file.ts'

/** The environment, with the `.env` of the project around where there is one. Its configuration is not run. */
export function surroundings(deps: Pick<CliDeps, 'env' | 'cwd' | 'configFile'>): Environment {
  const env = { ...deps.env }
  const configFile = findConfig(deps)
  if (configFile !== null) readEnvironmentFile(env, dirname(configFile))
  return env
}
