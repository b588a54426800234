import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isJsonObject, type JsonObject } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { usageFailure } from '../failures.ts'
import { messageOf, reasonOf } from '../thrown.ts'
import type { CallFlags } from './call-one.ts'

/** The input as it was given: on the command line, in a file, or on stdin. Nothing at all is an empty object. */
export async function readInput(deps: Pick<CliDeps, 'cwd' | 'stdin'>, flags: CallFlags): Promise<unknown> {
  if (flags.input !== undefined && flags.inputFile !== undefined) {
    throw usageFailure('--input and --input-file were both given. Take one of them.')
  }
  if (flags.inputFile !== undefined) return parse('--input-file', readFile(deps, flags.inputFile))
  if (flags.input === '-') return parse('stdin', await readAll(deps.stdin))
  return flags.input === undefined ? {} : parse('--input', flags.input)
}

/** The metadata as a JSON object; null where none was given. */
export function readMetadata({ metadata }: CallFlags): JsonObject | null {
  if (metadata === undefined) return null
  const value = parse('--metadata', metadata)
  if (isJsonObject(value)) return value
  throw usageFailure('--metadata must be a JSON object, such as {"page": "/cart"}.')
}

/** The end user’s token; null where none was asked for. It never stands on a command line, where others could read it. */
export function readEndUserToken({ env }: Pick<CliDeps, 'env'>, { endUserTokenEnv: name }: CallFlags): string | null {
  if (name === undefined) return null
  const token = env[name]
  if (token) return token
  throw usageFailure(`--end-user-token-env: ${name} is not set, neither in the environment nor in .env.`)
}

/** The permissions that the end user holds; null where it was left open. */
export function readPermissions({ permissions }: CallFlags): string[] | null {
  return permissions === undefined ? null : permissions.split(',').flatMap((name) => name.trim() || [])
}

function readFile({ cwd }: Pick<CliDeps, 'cwd'>, path: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch (error) {
    throw usageFailure(`--input-file: ${path} cannot be read (${reasonOf(error)}).`)
  }
}

async function readAll(stdin: CliDeps['stdin']): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin ?? []) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function parse(source: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const help = ['Write an object in single quotes: \'{"day": "sunday"}\'']
    throw usageFailure(`${source} is not JSON: ${messageOf(error)}.`, help)
  }
}
