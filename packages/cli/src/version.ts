import { readFileSync } from 'node:fs'
import { isJsonObject } from '@svc/contract'

/** The version of this tool, as its package states it. */
export const CLI_VERSION = packageVersion(new URL('../package.json', import.meta.url)) ?? '0.0.0'

/** The version that a package.json states, or null when the file is absent or states none. */
export function packageVersion(file: URL | string): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isJsonObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : null
  } catch {
    return null
  }
}
