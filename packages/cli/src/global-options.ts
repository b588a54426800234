import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { CliDeps } from './deps.ts'
import { usageFailure } from './failures.ts'

/** What may stand before or after every command. */
export type GlobalOptions = {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly cwd?: string
  readonly config?: string
}

export function globalOptions(): Option[] {
  return [
    new Option('--json', 'print one JSON document on stdout, for scripts'),
    new Option('-q, --quiet', 'print results and problems only'),
    new Option('--cwd <folder>', 'work in this folder'),
    new Option('--config <file>', 'the configuration to use in place of the nearest svc.config.ts'),
  ]
}

/** The global options among the arguments, read before the program that checks the arguments is made. */
export function readGlobalOptions(args: readonly string[]): GlobalOptions {
  const reader = new Command().exitOverride().configureOutput({ outputError: () => undefined })
  for (const option of globalOptions()) reader.addOption(option)
  try {
    reader.parseOptions([...args])
  } catch {
    // A missing value; the program itself says so.
  }
  return reader.opts()
}

/** The surroundings as the options change them. */
export function applyGlobalOptions(deps: CliDeps, options: GlobalOptions): CliDeps {
  const cwd = options.cwd === undefined ? deps.cwd : resolve(deps.cwd, options.cwd)
  if (options.cwd !== undefined && !isThere(cwd, 'folder')) throw usageFailure(`--cwd: there is no folder ${cwd}.`)
  if (options.config === undefined) return { ...deps, cwd }
  const configFile = resolve(cwd, options.config)
  if (!isThere(configFile, 'file')) throw usageFailure(`--config: there is no file ${configFile}.`)
  return { ...deps, cwd, configFile }
}

function isThere(path: string, kind: 'folder' | 'file'): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return kind === 'folder' ? found?.isDirectory() === true : found?.isFile() === true
}
