import type { Capability, JsonObject } from '@svc/contract'
import type { ComponentBook } from './component-book.ts'
import { embedSchema, OpenReferenceError, toPascalCase } from './embed-schema.ts'
import { requestBodyOf } from './request-body.ts'
import { refusalsOf, success } from './responses.ts'
import { TAGS } from './tags.ts'
import type { Operation, Schema } from './types.ts'

const SUMMARY_LENGTH = 120

/** The operation that calls one capability. */
export function describeCapability(book: ComponentBook, capability: Capability): Operation {
  const { name, requiresEndUser } = capability
  const action = capability.actions[0]
  const input = embed(book, capability, { kind: 'input', schema: action?.inputSchema })
  const output = embed(book, capability, { kind: 'output', schema: action?.outputSchema })
  return {
    operationId: name,
    summary: summaryOf(capability),
    description: descriptionOf(capability),
    tags: [requiresEndUser ? TAGS.forEndUsers.name : TAGS.open.name],
    ...(capability.deprecated && { deprecated: true }),
    'x-capability-version': capability.version,
    requestBody: requestBodyOf(capability, input),
    responses: { 200: success(output, action?.outputSchema), ...refusalsOf(capability) },
  }
}

type Part = {
  readonly kind: 'input' | 'output'
  readonly schema: JsonObject | undefined
}

function embed(book: ComponentBook, { name }: Capability, { kind, schema }: Part): Schema {
  if (!schema)
    return kind === 'input' ? { type: 'object', description: 'What this capability takes is not described.' } : {}
  try {
    const reference = embedSchema(book, toPascalCase(name) + (kind === 'input' ? 'Input' : 'Output'), schema)
    return kind === 'output' || schema['type'] === 'object' ? reference : { type: 'object', ...reference }
  } catch (error) {
    if (!(error instanceof OpenReferenceError)) throw error
    throw new Error(`The ${kind} schema of “${name}” ${error.message}`, { cause: error })
  }
}

// The first sentence, without its full stop.
function summaryOf({ name, description }: Capability): string {
  const [sentence = ''] = description.trim().split(/(?<=[.!?])\s|\n/, 1)
  const text = sentence.replace(/\.$/, '').trim()
  if (text === '') return name
  const characters = Array.from(text)
  return characters.length <= SUMMARY_LENGTH ? text : `${characters.slice(0, SUMMARY_LENGTH - 1).join('')}…`
}

function descriptionOf({ description, version, deprecated, deprecatedSince, removalNotBefore }: Capability): string {
  const deprecation = deprecated
    ? `Deprecated since ${deprecatedSince}.${removalNotBefore === undefined ? '' : ` It is not removed before ${removalNotBefore}.`}`
    : ''
  return [description.trim(), deprecation, `Version ${version}.`].filter((paragraph) => paragraph !== '').join('\n\n')
}
