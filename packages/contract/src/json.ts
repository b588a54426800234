import * as z from 'zod'

/** Any JSON object. Members are `unknown`: they came from `JSON.parse` and nobody has looked at them yet. */
export const JsonObject = z.record(z.string(), z.unknown())
export type JsonObject = z.infer<typeof JsonObject>

/** True for a plain `{…}`, false for arrays, null and everything else. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A point in time on the wire: ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime()
