import type { Filling } from './filling.ts'
import { looksLikeCode } from './find-codes.ts'
import { valueFor } from './memory.ts'
import { isSaid, titleOf } from './present-value.ts'
import { residualRuns } from './residual.ts'
import type { Field } from './schema-fields.ts'
import type { Token } from './words.ts'

/** The words to search for: what was said, without asking for it. */
export function findQuery(filling: Filling, field: Field): string | undefined {
  const quoted = findQuoted(filling, field)
  if (quoted !== undefined) return quoted
  const places = residualRuns(filling).flat()
  const words = places.map((place) => filling.utterance.tokens[place]?.text ?? '').join(' ')
  if (words !== '' && field.fits(words)) return mark(filling, places, words)
  const title = filling.reference === null ? null : titleOf(filling.reference.thing)
  return title ?? (field.required && field.fits('') ? '' : undefined)
}

/** What one thing is called. */
export function findEntity(filling: Filling, field: Field): unknown {
  const { reference } = filling
  if (reference !== null && !reference.isVague) return fromReference(filling, field)
  const found = findQuoted(filling, field) ?? codeIn(filling, field) ?? labelled(filling, field)
  if (found !== undefined) return found
  if (!field.required) return undefined
  return longestRun(filling, field) ?? fromReference(filling, field)
}

export function findPerson(filling: Filling, field: Field): unknown {
  return after(filling, field, PERSON_LEADS) ?? (field.required ? longestRun(filling, field) : undefined)
}

export function findPlace(filling: Filling, field: Field): string | undefined {
  const named = after(filling, field, PLACE_LEADS) ?? runAfter(filling, field, PLACE_LEADS)
  return named ?? (field.required ? longestRun(filling, field) : undefined)
}

/** A text in somebody's own words: what stands in quotes or behind a colon; where it must be given, all that is left. */
export function findProse(filling: Filling, field: Field): string | undefined {
  const { text } = filling.utterance
  const given = findQuoted(filling, field) ?? behindLead(filling, field)
  if (given !== undefined || !field.required) return given
  const places = residualRuns(filling, { verbs: true }).flat()
  const first = filling.utterance.tokens[places[0] ?? -1]
  const last = filling.utterance.tokens[places.at(-1) ?? -1]
  const isLong = /description|body|message|content|details/i.test(field.name)
  if (first === undefined || last === undefined) return undefined
  const phrase = isLong ? text.trim() : text.slice(first.start, last.end)
  return field.fits(phrase) ? mark(filling, isLong ? [] : places, phrase) : undefined
}

const PERSON_LEADS = new Set('with for to by from doctor dr of'.split(' '))
const PLACE_LEADS = new Set('in near at to from around for'.split(' '))
const LEAD = /\b(?:because(?: of)?|saying|that says|called|titled|named|about|reason is|regarding|due to)\s+|:\s+/i
const QUOTED = /["“”«»]([^"“”«»]{1,500})["“”«»]/
const QUOTED_SIMPLY = /(?:^|\s)['‘]([^'‘’]{1,500})['’](?=$|[\s.,!?])/

function findQuoted(filling: Filling, field: Field): string | undefined {
  const match = QUOTED.exec(filling.utterance.text) ?? QUOTED_SIMPLY.exec(filling.utterance.text)
  const inside = match?.[1]?.trim() ?? ''
  if (match === null || inside === '' || !field.fits(inside)) return undefined
  const places = placesBetween(filling, match.index, match.index + match[0].length)
  return places.some((place) => filling.used.has(place)) ? undefined : mark(filling, places, inside)
}

function behindLead(filling: Filling, field: Field): string | undefined {
  const { text } = filling.utterance
  const match = LEAD.exec(text)
  if (match === null) return undefined
  const start = match.index + match[0].length
  const rest = text.slice(start).replace(/[\s.!]+$/, '')
  const places = placesBetween(filling, start, text.length)
  if (rest === '' || !field.fits(rest) || places.some((place) => filling.used.has(place))) return undefined
  return mark(filling, places, rest)
}

// `with Dr. Smith`, `in Berlin`: capitals behind a small word that leads to a name.
function after(filling: Filling, field: Field, leads: ReadonlySet<string>): string | undefined {
  const { tokens } = filling.utterance
  for (const [index, token] of tokens.entries()) {
    if (!leads.has(token.lower)) continue
    const start = token.lower === 'dr' || token.lower === 'doctor' ? index : index + 1
    const places = capitalsFrom(filling, start)
    const name = textOf(filling, places)
    if (name !== '' && field.fits(name)) return mark(filling, places, name)
  }
  return undefined
}

// Typed without capitals: `raining in oslo`.
function runAfter(filling: Filling, field: Field, leads: ReadonlySet<string>): string | undefined {
  const isLed = ([first = 0]: readonly number[]) => leads.has(filling.utterance.tokens[first - 1]?.lower ?? '')
  const run = residualRuns(filling).find(isLed) ?? []
  const value = textOf(filling, run)
  return value !== '' && field.fits(value) ? mark(filling, run, value) : undefined
}

function capitalsFrom(filling: Filling, start: number): number[] {
  const places: number[] = []
  for (let place = start; place < filling.utterance.tokens.length; place++) {
    const token = filling.utterance.tokens[place]
    if (token === undefined || filling.used.has(place) || !/^\p{Lu}/u.test(token.text)) break
    if (token.text !== 'I') places.push(place)
  }
  return places
}

function codeIn(filling: Filling, field: Field): string | undefined {
  const index = filling.utterance.tokens.findIndex(
    (token, place) => !filling.used.has(place) && looksLikeCode(token) && field.fits(token.text),
  )
  return index < 0 ? undefined : mark(filling, [index], filling.utterance.tokens[index]?.text ?? '')
}

// `category camping`, or `the camping category`.
function labelled(filling: Filling, field: Field): string | undefined {
  const { tokens } = filling.utterance
  const label = tokens.findIndex((token) => token.stem === field.stems.at(-1))
  if (label < 0) return undefined
  const runs = residualRuns(filling)
  const run = runs.find((places) => places[0] === label + 1) ?? runs.find((places) => places.at(-1) === label - 1)
  if (run === undefined) return undefined
  const value = textOf(filling, run)
  return field.fits(value) ? mark(filling, [...run, label], value) : undefined
}

function longestRun(filling: Filling, field: Field): string | undefined {
  const runs = residualRuns(filling).map((run) => trimmed(filling, run))
  const [run = []] = runs.toSorted((a, b) => scoreOf(filling, b) - scoreOf(filling, a))
  const value = textOf(filling, run)
  return value !== '' && field.fits(value) ? mark(filling, run, value) : undefined
}

// A small word at the edge of a name that the tool uses of itself asks for something: “how many trail lanterns are *left*”.
function trimmed(filling: Filling, run: readonly number[]): number[] {
  const isOfTool = (place: number | undefined) => {
    const token = filling.utterance.tokens[place ?? -1]
    return token !== undefined && !/^\p{Lu}/u.test(token.text) && (filling.profile.terms.get(token.stem) ?? 0) >= 1
  }
  const kept = [...run]
  while (kept.length > 1 && isOfTool(kept.at(-1))) kept.pop()
  while (kept.length > 1 && isOfTool(kept[0])) kept.shift()
  return kept
}

// A name in capitals is likelier to be meant than a longer run of plain words.
function scoreOf(filling: Filling, run: readonly number[]): number {
  const capitals = run.filter(
    (place) => place > 0 && /^\p{Lu}/u.test(filling.utterance.tokens[place]?.text ?? ''),
  ).length
  return run.length + 2 * capitals
}

function fromReference(filling: Filling, field: Field): unknown {
  const { reference } = filling
  if (reference === null) return undefined
  if (reference.places.some((place) => filling.used.has(place))) return undefined
  const value = valueFor(field, reference.thing)
  if (!isSaid(value) || (typeof value === 'string' && !field.fits(value))) return undefined
  return mark(filling, reference.places, value)
}

function textOf(filling: Filling, places: readonly number[]): string {
  const { text, tokens } = filling.utterance
  const first = tokens[places[0] ?? -1]
  const last = tokens[places.at(-1) ?? -1]
  return first === undefined || last === undefined ? '' : text.slice(first.start, last.end)
}

function placesBetween(filling: Filling, start: number, end: number): number[] {
  return filling.utterance.tokens.flatMap((token: Token, index) =>
    token.start >= start && token.end <= end ? [index] : [],
  )
}

function mark<Value>(filling: Filling, places: readonly number[], value: Value): Value {
  for (const place of places) filling.used.add(place)
  return value
}
