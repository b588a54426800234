import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keyKindOf } from '@svc/contract'
import { z } from 'zod'
import type { CliDeps } from '../deps.ts'
import { CommandFailure, commandFailure, projectFailure } from '../failures.ts'
import { whileLocked } from '../lock-file.ts'
import { parseJson } from '../parse-json.ts'
import { errorCode, reasonOf } from '../thrown.ts'
import { writeAtomically } from '../write-atomically.ts'

const SavedKey = z.object({
  key: z.string().refine((key) => keyKindOf(key) === 'account'),
  keyId: z.string(),
  email: z.string(),
})
const SavedKeys = z.record(z.string(), SavedKey)

/** An account key that `svc login` has saved. */
export type SavedKey = z.infer<typeof SavedKey>

/** The file of saved keys; null where the user has no folder for settings. */
export function savedKeysFile({ configFolder }: Pick<CliDeps, 'configFolder'>): string | null {
  return configFolder === undefined ? null : join(configFolder, 'svc', 'credentials.json')
}

/** The saved keys by the address of their control plane. */
export function readSavedKeys(deps: Pick<CliDeps, 'configFolder'>): Record<string, SavedKey> {
  const file = savedKeysFile(deps)
  const text = file === null ? null : read(file)
  if (text === null) return {}
  const parsed = SavedKeys.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw projectFailure(`${file} does not hold the keys of \`svc login\`.`, ['Remove it, and run `svc login` again.'])
}

/**
 * Saves the key for a control plane, or with null removes it, in a file that only its user can read. Resolves to the key that
 * stood there. Several processes may save at once.
 */
export async function saveKey(
  deps: Pick<CliDeps, 'configFolder' | 'timers'>,
  baseUrl: string,
  key: SavedKey | null,
): Promise<SavedKey | null> {
  const file = makeFolder(deps)
  try {
    return await whileLocked(deps.timers, file, () => {
      const { [baseUrl]: replaced = null, ...others } = readSavedKeys(deps)
      const keys = key === null ? others : { ...others, [baseUrl]: key }
      writeAtomically(file, `${JSON.stringify(keys, null, 2)}\n`, 0o600)
      return replaced
    })
  } catch (error) {
    throw error instanceof CommandFailure ? error : notWritable(file, error)
  }
}

/** Makes the folder of the file, for its user alone, and returns the file. */
export function makeFolder(deps: Pick<CliDeps, 'configFolder'>): string {
  const file = savedKeysFile(deps)
  if (file === null) throw projectFailure('There is no folder for settings.', ['Set HOME or XDG_CONFIG_HOME.'])
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    chmodSync(dirname(file), 0o700)
    return file
  } catch (error) {
    throw notWritable(file, error)
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw commandFailure(`${file} cannot be read (${reasonOf(error)}).`, [], error)
  }
}

function notWritable(file: string, error: unknown): Error {
  return commandFailure(
    `${file} cannot be written (${reasonOf(error)}).`,
    ['Set XDG_CONFIG_HOME to a folder of yours.'],
    error,
  )
}
