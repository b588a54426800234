import type { FastifyReply } from 'fastify'
import { JsonDocument } from '../lib/json-document.ts'

/** The text that `JSON.stringify` makes of a value. A {@link JsonDocument} in it is copied, not parsed and written again. */
export function stringifyJson(value: unknown): string {
  if (value instanceof JsonDocument) return value.text
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  let text = ''
  for (const [name, field] of Object.entries(value)) {
    if (field !== undefined) text += `${text && ','}${JSON.stringify(name)}:${stringifyJson(field)}`
  }
  return `{${text}}`
}

/** Has the reply write its body with {@link stringifyJson}. Call it after all that may throw: an error body is text already. */
export function answerJsonText(reply: FastifyReply): void {
  reply.type('application/json; charset=utf-8').serializer(stringifyJson)
}
