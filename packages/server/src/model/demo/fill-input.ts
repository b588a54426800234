import type { JsonObject } from '@svc/contract'
import type { Role } from './field-role.ts'
import type { Filling } from './filling.ts'
import { FINDERS, type Finder } from './find-values.ts'
import type { Heard } from './heard.ts'
import { referenceIn } from './memory.ts'
import type { Field } from './schema-fields.ts'
import type { ToolProfile } from './tool-profile.ts'

/** An input as far as the words give it. */
export interface FilledInput {
  input: JsonObject
  /** Required fields that the words do not fill. */
  missing: readonly Field[]
  /** How many fields hold something that could not stand anywhere else: a code, a date, an option. */
  certain: number
  /** It has a field that took the words which fit nowhere else. */
  tookRest: boolean
  used: ReadonlySet<number>
}

// Values that can be told by their form come first, so that free text is left with what is nothing else.
const ORDER: readonly (readonly Role[])[] = [
  ['option', 'flag', 'email'],
  ['code', 'date', 'moment', 'time'],
  ['max', 'min', 'page-size'],
  ['count', 'money', 'number', 'country'],
  ['person', 'place', 'object'],
  ['query', 'entity', 'prose'],
]
const UNCERTAIN: ReadonlySet<Role> = new Set<Role>(['query', 'entity', 'prose', 'object'])

/** Fills a tool's input from what was said, and from what the talk was about. */
export function fillInput(profile: ToolProfile, heard: Heard): FilledInput {
  const { utterance, memory, nowMs } = heard
  const reference = referenceIn(utterance.tokens, memory)
  const filling: Filling = { utterance, profile, reference, nowMs, used: new Set() }
  const values = new Map<string, unknown>()
  let certain = 0
  let tookRest = false
  for (const field of inOrder(profile.fields)) {
    const value = fieldValue(filling, field)
    if (value === undefined) continue
    values.set(field.name, field.isList ? [value] : value)
    if (UNCERTAIN.has(field.role)) tookRest = true
    else certain += 1
  }
  const missing = profile.fields.filter((field) => field.required && !values.has(field.name))
  return { input: Object.fromEntries(values), missing, certain, tookRest, used: filling.used }
}

function inOrder(fields: readonly Field[]): Field[] {
  return ORDER.flatMap((roles) => {
    const same = fields.filter((field) => roles.includes(field.role))
    return [...same.filter((field) => field.required), ...same.filter((field) => !field.required)]
  })
}

function fieldValue(filling: Filling, field: Field): unknown {
  if (field.role === 'object') return objectOf(filling, field)
  const find: Finder = FINDERS[field.role]
  return find(filling, field)
}

// A nested object is worth sending only with all that it requires.
function objectOf(filling: Filling, field: Field): JsonObject | undefined {
  const values = new Map<string, unknown>()
  for (const inner of inOrder(field.fields)) {
    const value = fieldValue(filling, inner)
    if (value !== undefined) values.set(inner.name, inner.isList ? [value] : value)
  }
  const isComplete = field.fields.every((inner) => !inner.required || values.has(inner.name))
  return values.size > 0 && isComplete ? Object.fromEntries(values) : undefined
}
