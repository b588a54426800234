import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'dotenv'
import type { Environment } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { errorCode, reasonOf } from '../thrown.ts'

/** Adds the variables of the folder’s `.env`, where there is one, to `env`. What is set already stays as it is. */
export function readEnvironmentFile(env: Environment, folder: string): void {
  const text = readIfPresent(join(folder, '.env'))
  if (text === null) return
  for (const [name, value] of Object.entries(parse(text))) {
    if (env[name] === undefined) env[name] = value
  }
}

function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw projectFailure(
      `${file} cannot be read (${reasonOf(error)}).`,
      ['Make it a readable file, or remove it.'],
      error,
    )
  }
}
