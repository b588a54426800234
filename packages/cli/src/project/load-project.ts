import { dirname } from 'node:path'
import type { SvcConfig } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { isPlainText } from './base-url.ts'
import { findConfig } from './find-config.ts'
import { loadConfiguration } from './load-configuration.ts'
import { readEnvironmentFile } from './read-environment-file.ts'
import { validateConfiguration } from './validate-configuration.ts'

/** The owner’s project, configured without fault. */
export type Project = {
  readonly folder: string
  readonly configFile: string
  readonly config: SvcConfig
  /** Address of the control plane, without a slash at its end. */
  readonly baseUrl: string
}

/** Finds, loads and validates the project that the working folder belongs to. */
export async function loadProject(deps: Pick<CliDeps, 'env' | 'cwd'>, terminal: Terminal): Promise<Project> {
  const configFile = findConfig(deps.cwd)
  const folder = dirname(configFile)
  readEnvironmentFile(deps.env, folder)
  const configuration = await loadConfiguration(configFile, deps.cwd)
  const { config, baseUrl } = validateConfiguration(deps, { configFile, configuration })
  if (isPlainText(baseUrl)) terminal.warn(`${baseUrl} is not https: the deploy key travels unencrypted.`)
  return { folder, configFile, config, baseUrl }
}
