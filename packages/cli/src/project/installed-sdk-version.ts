import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageVersion } from '../version.ts'

/** The version of the SDK that a file of the project gets, else the one that this tool uses, else null. */
export function installedSdkVersion(file: string): string | null {
  return versionFor(file) ?? versionFor(fileURLToPath(import.meta.url))
}

// As Node finds packages, since the SDK does not export its package.json.
function versionFor(file: string): string | null {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const version = packageVersion(join(folder, 'node_modules', '@svc', 'sdk', 'package.json'))
    if (version !== null || dirname(folder) === folder) return version
  }
}
