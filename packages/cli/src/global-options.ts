import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
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
    new Option('--cwd <folder>', 'work in this folder').argParser(path),
    new Option('--config <file>', 'the configuration to use in place of the nearest svc.config.ts').argParser(path),
  ]
}

/** The global options among the arguments, read before the program that checks the arguments is made. */
export function readGlobalOptions(args: readonly string[]): GlobalOptions {
  const reader = new Command().exitOverride().configureOutput({ outputError: () => undefined })
  for (const option of globalOptions()) reader.addOption(option)
  try {
    reader.parseOptions([...args])
    return reader.opts()
  } catch {
    // A missing value; the program itself says so, in the form that was asked for.
    return { ...reader.opts(), json: args.includes('--json') }
  }
}

// An option in its place was forgotten and not meant: a path that begins so can be written as ./--path.
function path(value: string): string {
  if (value.startsWith('-')) throw new InvalidArgumentError('Name a path.')
  return value
}

/** The surroundings as the options change them. */
export function applyGlobalOptions(deps: CliDeps, options: GlobalOptions): CliDeps {
  const cwd = options.cwd === undefined ? deps.cwd : resolve(deps.cwd, options.cwd)
  if (options.cwd !== undefined && !isOfKind(cwd, 'folder')) throw usageFailure(`--cwd: there is no folder ${cwd}.`)
  if (options.config === undefined) return { ...deps, cwd }
  const configFile = resolve(cwd, options.config)
  if (!isOfKind(configFile, 'file')) throw usageFailure(`--config: there is no file ${configFile}.`)
  return { ...deps, cwd, configFile }
}

function isOfKind(path: string, kind: 'folder' | 'file'): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return kind === 'folder' ? found?.isDirectory() === true : found?.isFile() === true
}
