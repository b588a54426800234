import type { JsonObject } from '@svc/contract'
import { findText } from './find-text.ts'
import { findValue } from './find-values.ts'
import type { Question } from './read-question.ts'
import type { ToolProfile } from './read-tool.ts'
import { type Field, KINDS } from './schema-fields.ts'

/** A tool’s input while it is filled from a question. */
export interface Filling {
  question: Question
  profile: ToolProfile
  /** Places of the words that have gone into a field. */
  used: Set<number>
}

export interface Found {
  value: unknown
  places: readonly number[]
  /** It could stand nowhere else. */
  isSure?: boolean
}

export interface FilledInput {
  input: JsonObject
  /** Required fields that the question does not fill. */
  missing: readonly Field[]
  /** Numbers of the question that have gone into no field. They are never dropped: the model asks. */
  unread: readonly string[]
  /** How many fields hold something that could stand nowhere else: a code, a date, an option; free text counts less. */
  certain: number
  used: ReadonlySet<number>
}

export function fillInput(profile: ToolProfile, question: Question): FilledInput {
  const filling: Filling = { question, profile, used: new Set() }
  const values = new Map<Field, unknown>()
  const begun = new Set<Field | null>([null])
  // Required members of an optional object are needed as soon as one member is known.
  const isNeeded = ({ isRequired, parent }: Field): boolean =>
    isRequired && (begun.has(parent) || (parent !== null && isNeeded(parent)))
  const rank = ({ kind, isRequired }: Field) => KINDS.indexOf(kind) * 2 - Number(isRequired)
  let certain = 0
  for (const field of profile.fields.toSorted((a, b) => rank(a) - rank(b))) {
    const wanted = { ...field, isRequired: isNeeded(field) }
    const found = findValue(filling, wanted) ?? findText(filling, wanted)
    if (found === undefined) continue
    values.set(field, field.isList ? [found.value] : found.value)
    for (let { parent } = field; parent !== null; parent = parent.parent) begun.add(parent)
    for (const place of found.places) filling.used.add(place)
    certain += found.isSure === false ? 0.3 : 1
  }
  const build = (object: Field | null): JsonObject => {
    const isThere = (field: Field) =>
      values.has(field) || begun.has(field) || (field.kind === 'object' && isNeeded(field))
    const known = profile.fields.filter((field) => field.parent === object && isThere(field))
    return Object.fromEntries(known.map((field) => [field.name, values.has(field) ? values.get(field) : build(field)]))
  }
  return {
    input: build(null),
    missing: profile.fields.filter((field) => field.kind !== 'object' && isNeeded(field) && !values.has(field)),
    unread: unreadNumbers(filling),
    certain,
    used: filling.used,
  }
}

// A word with a digit counts, even where it is not read as a number: `5kg`, `24th`. A lone “one” is as good as “a”.
function unreadNumbers({ question: { words, numbers }, profile, used }: Filling): string[] {
  const unread = words.filter(({ lower, stem }, place) => {
    const isNumber = /\p{N}/u.test(lower) || numbers.some((number) => number.place === place)
    return isNumber && !used.has(place) && !profile.labels.has(stem)
  })
  return unread.length === 1 && unread[0]?.lower === 'one' ? [] : unread.map(({ text }) => text)
}
