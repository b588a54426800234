import * as z from 'zod'

/** Any JSON object. Its members are `unknown`: they are not checked. */
// Not `z.record`: it checks and copies every member, which would take most of the time of validating a request.
export const JsonObject = z
  .custom<Record<string, unknown>>()
  .check((context) => {
    const { value } = context
    if (!isJsonObject(value)) context.issues.push({ code: 'invalid_type', expected: 'record', input: value })
    else if (Object.hasOwn(value, '__proto__')) context.value = withoutPrototype(value)
  })
  .meta({
    description: 'Any JSON object.',
    type: 'object',
    propertyNames: { type: 'string' },
    additionalProperties: {},
  })
export type JsonObject = z.infer<typeof JsonObject>

// What copies its members without care would take this one for the object's prototype.
function withoutPrototype(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__proto__'))
}

/** True for a plain `{…}`, false for arrays, null and everything else. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A point in time on the wire: ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso
  .datetime()
  .meta({ description: 'ISO 8601 in UTC, with milliseconds.', examples: ['2026-03-04T16:41:09.310Z'] })
