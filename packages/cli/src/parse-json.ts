import { isJsonObject, type JsonObject } from '@svc/contract'

/** The value of a text that may be anything; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As {@link parseJson}, for what should be an object; an empty one where it is none. */
export function parseJsonObject(text: string): JsonObject {
  const value = parseJson(text)
  return isJsonObject(value) ? value : {}
}
