import { dirname, relative } from 'node:path'
import type { JsonObject, SvcSettings } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { describeThrown } from '../describe-thrown.ts'
import { CommandFailure, projectFailure } from '../failures.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { isPlainText } from './base-url.ts'
import { configFileOf } from './find-config.ts'
import { loadConfiguration } from './load-configuration.ts'
import { misspeltVariables } from './misspelt-variables.ts'
import { readEnvironmentFile } from './read-environment-file.ts'
import { validateConfiguration, validateSettings } from './validate-configuration.ts'

/** The owner’s project, configured without fault. */
export type Project = {
  readonly folder: string
  readonly configFile: string
  readonly config: SvcSettings
  /** Address of the control plane, without a slash at its end. */
  readonly baseUrl: string
  /** What `SVC_RUNTIME_ID` says; null where it is not set. */
  readonly runtimeId: string | null
}

/** The project together with the deploy key, for what speaks to the control plane. */
export type KeyedProject = Project & { readonly apiKey: string }

type ProjectDeps = Pick<CliDeps, 'env' | 'cwd' | 'configFile'>

/** Finds, loads and validates the project that the working folder belongs to. A deploy key is not asked for. */
export async function loadProject(deps: ProjectDeps, terminal: Terminal): Promise<Project> {
  const { configFile, configuration } = await openProject(deps, terminal)
  const read = readConfiguration(deps, configFile, () => validateSettings(deps, { configFile, configuration }))
  return { ...whereabouts(configFile), ...read }
}

/** As {@link loadProject}, for commands that need the deploy key: a missing or malformed one is one of the faults. */
export async function loadKeyedProject(deps: ProjectDeps, terminal: Terminal): Promise<KeyedProject> {
  const { configFile, configuration } = await openProject(deps, terminal)
  const read = readConfiguration(deps, configFile, () => validateConfiguration(deps, { configFile, configuration }))
  const project = { ...whereabouts(configFile), ...read }
  if (isPlainText(project.baseUrl)) {
    terminal.warn(`${project.baseUrl} is not https: the deploy key travels unencrypted.`)
  }
  return project
}

// A getter in it is code of the project’s, and may throw.
function readConfiguration<T>({ cwd }: ProjectDeps, configFile: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const lines = describeThrown(error, { folder: dirname(configFile), cwd })
    throw projectFailure(`${relative(cwd, configFile)} could not be read.`, lines, error)
  }
}

async function openProject(
  deps: ProjectDeps,
  terminal: Terminal,
): Promise<{ configFile: string; configuration: JsonObject }> {
  const configFile = configFileOf(deps)
  readEnvironmentFile(deps.env, dirname(configFile))
  for (const sentence of misspeltVariables(deps.env)) terminal.warn(sentence)
  return { configFile, configuration: await loadConfiguration(configFile, deps.cwd) }
}

function whereabouts(configFile: string): Pick<Project, 'folder' | 'configFile'> {
  return { folder: dirname(configFile), configFile }
}
