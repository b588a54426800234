import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageVersion } from '../version.ts'

/** The version of a package that code in the folder gets, or null. */
export function installedVersion(folder: string, name: string): string | null {
  // As Node finds packages, since not every package exports its package.json.
  const version = packageVersion(join(folder, 'node_modules', name, 'package.json'))
  return version !== null || dirname(folder) === folder ? version : installedVersion(dirname(folder), name)
}

/** The version of the SDK that a file of the project gets, else the one that this tool uses, else null. */
export function installedSdkVersion(file: string): string | null {
  const own = fileURLToPath(import.meta.url)
  return installedVersion(dirname(file), '@svc/sdk') ?? installedVersion(dirname(own), '@svc/sdk')
}
