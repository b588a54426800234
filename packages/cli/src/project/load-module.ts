import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isJsonObject, type JsonObject } from '@svc/contract'
import { createJiti } from 'jiti'
import { describeThrown, type Place } from '../describe-thrown.ts'
import { projectFailure } from '../failures.ts'

/** The exports of a TypeScript module of the project. What it throws is shown with its file and its own message. */
export async function loadModule(file: string, place: Place): Promise<JsonObject> {
  try {
    const jiti = createJiti(file, { tsconfigPaths: true, fsCache: cacheFolder(place.folder) })
    const exports = await jiti.import<unknown>(file)
    return isJsonObject(exports) ? exports : { default: exports }
  } catch (error) {
    const lines = describeThrown(error, place)
    throw projectFailure(`${relative(place.cwd, file)} could not be loaded.`, lines, error)
  }
}

// Not the system’s folder for temporary files: what lies there could have been put there by anybody, and it is run.
function cacheFolder(folder: string): string | false {
  for (let current = folder; ; current = dirname(current)) {
    const packages = join(current, 'node_modules')
    if (existsSync(packages)) return join(packages, '.cache', 'svc')
    if (dirname(current) === current) return false
  }
}
