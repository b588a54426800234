import { relative } from 'node:path'
import { isJsonObject, type JsonObject } from '@svc/contract'
import { createJiti } from 'jiti'
import { projectFailure } from '../failures.ts'
import { describeThrown, type Place } from './describe-thrown.ts'

/** The exports of a TypeScript module of the project. What it throws is shown with its file and its own message. */
export async function loadModule(file: string, place: Place): Promise<JsonObject> {
  try {
    const exports = await createJiti(file, { tsconfigPaths: true }).import<unknown>(file)
    return isJsonObject(exports) ? exports : { default: exports }
  } catch (error) {
    const lines = describeThrown(error, place)
    throw projectFailure(`${relative(place.cwd, file)} could not be loaded.`, lines, error)
  }
}
