import type { Role } from './field-role.ts'
import type { Filling } from './filling.ts'
import { findCount, findLimit, findMoney, findNumber, findPageSize } from './find-amounts.ts'
import { findCode, findNumericCode } from './find-codes.ts'
import { findCountries } from './find-countries.ts'
import { type FoundText, findDates, findTimes } from './find-dates.ts'
import { findEntity, findPerson, findPlace, findProse, findQuery } from './find-text.ts'
import { isToolWord } from './residual.ts'
import type { Field } from './schema-fields.ts'
import { isContent } from './utterance.ts'
import { SYNONYMS } from './vocabulary.ts'
import { stemsOf } from './words.ts'

/** Looks for a field's value in what was said; marks the words that it took. Undefined: nothing there is for it. */
export type Finder = (filling: Filling, field: Field) => unknown

export const FINDERS: Readonly<Record<Exclude<Role, 'object'>, Finder>> = {
  option: findOption,
  flag: findFlag,
  email: findEmail,
  date: (filling, field) => taken(filling, field, findDates(filling.utterance.tokens, filling.nowMs)),
  time: (filling, field) => taken(filling, field, findTimes(filling.utterance.tokens)),
  moment: findMoment,
  country: findCountry,
  code: (filling, field) =>
    (field.type === 'string' || field.type === 'unknown' ? findCode : findNumericCode)(filling, field),
  max: (filling, field) => findLimit(filling, field, 'max'),
  min: (filling, field) => findLimit(filling, field, 'min'),
  'page-size': findPageSize,
  count: findCount,
  money: findMoney,
  number: findNumber,
  query: findQuery,
  prose: findProse,
  person: findPerson,
  place: findPlace,
  entity: findEntity,
}

function taken(filling: Filling, field: Field, candidates: readonly FoundText[]): string | undefined {
  const found = candidates.find(
    ({ value, places }) => field.fits(value) && !places.some((place) => filling.used.has(place)),
  )
  for (const place of found?.places ?? []) filling.used.add(place)
  return found?.value
}

// An option is meant when all of its words are there, else when words that mean the same are; the longest one wins.
function findOption(filling: Filling, field: Field): unknown {
  const { tokens } = filling.utterance
  const best =
    longestOption(filling, field, (stem) => placeOf(filling, [stem])) ??
    (isGrouping(field) ? null : longestOption(filling, field, (stem) => similarPlace(filling, stem)))
  if (best === null) return undefined
  for (const place of best.places) filling.used.add(place)
  const after = Math.max(...best.places) + 1
  if (tokens[after] !== undefined && field.stems.includes(tokens[after].stem)) filling.used.add(after)
  return best.option
}

function longestOption(filling: Filling, field: Field, find: (stem: string) => number): FoundOption | null {
  let best: FoundOption | null = null
  for (const option of field.options) {
    const places = stemsOf(String(option).replaceAll('_', ' ')).map(find)
    if (places.includes(-1) || (isGrouping(field) && isPartOfName(filling, field, places))) continue
    if (places.length > (best?.places.length ?? 0)) best = { option, places }
  }
  return best
}

interface FoundOption {
  option: unknown
  places: number[]
}

function isGrouping(field: Field): boolean {
  return field.stems.some((stem) => /^(categor|typ|kind|department|section|group|topic|collection)$/.test(stem))
}

// “Bags” is a category, “sleeping bags” are things, and so is a “camp stool”: such words stay together.
function isPartOfName(filling: Filling, field: Field, places: readonly number[]): boolean {
  const { tokens } = filling.utterance
  const isOfName = (place: number) => {
    const token = tokens[place]
    if (token === undefined || field.stems.includes(token.stem) || filling.utterance.cues.has(place)) return false
    return isContent(token) && !isToolWord(filling, token, place)
  }
  return isOfName(Math.min(...places) - 1) || isOfName(Math.max(...places) + 1)
}

function placeOf(filling: Filling, stems: readonly string[]): number {
  return filling.utterance.tokens.findIndex((token, index) => stems.includes(token.stem) && !filling.used.has(index))
}

function similarPlace(filling: Filling, stem: string): number {
  const exact = placeOf(filling, [stem])
  return exact >= 0 ? exact : placeOf(filling, SYNONYMS.get(stem) ?? [])
}

const EMPTY_FLAG_STEMS = new Set(stemsOf('is has only include with show in on the be'))
const NEGATIONS = new Set([
  'not',
  'no',
  'without',
  "isn't",
  "don't",
  "doesn't",
  'never',
  "aren't",
  'exclude',
  'excluding',
  'skip',
])

function findFlag(filling: Filling, field: Field): boolean | undefined {
  const { tokens } = filling.utterance
  const stems = field.stems.filter((stem) => !EMPTY_FLAG_STEMS.has(stem))
  const places = stems.map((stem) => similarPlace(filling, stem))
  if (places.length === 0 || places.includes(-1)) return undefined
  const start = Math.min(...places)
  for (const place of places) filling.used.add(place)
  const before = tokens.slice(Math.max(0, start - 3), start).map((token) => token.lower)
  return !before.some((word) => NEGATIONS.has(word))
}

// Each part between the signs is bounded, so the search stays linear in the text.
const EMAIL = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}/

function findEmail(filling: Filling): string | undefined {
  const { text, tokens } = filling.utterance
  const match = EMAIL.exec(text)
  if (match === null) return undefined
  const end = match.index + match[0].length
  for (const [index, token] of tokens.entries())
    if (token.start >= match.index && token.end <= end) filling.used.add(index)
  return match[0]
}

function findMoment(filling: Filling, field: Field): string | undefined {
  const { tokens } = filling.utterance
  const day = taken(filling, { ...field, fits: () => true }, findDates(tokens, filling.nowMs))
  if (day === undefined) return undefined
  const time = taken(filling, { ...field, fits: () => true }, findTimes(tokens)) ?? '00:00'
  return `${day}T${time}:00Z`
}

// A field that takes two letters gets the code, any other the name as it was said.
function findCountry(filling: Filling, field: Field): string | undefined {
  for (const country of findCountries(filling.utterance.tokens)) {
    const value = [country.value, country.code].find(
      (candidate) => field.fits(candidate) && (candidate.length === 2 || !wantsCode(field)),
    )
    if (value === undefined || country.places.some((place) => filling.used.has(place))) continue
    for (const place of country.places) filling.used.add(place)
    return value
  }
  return undefined
}

function wantsCode(field: Field): boolean {
  return /\b(two|2)[- ]letter|\biso\b|alpha-2/i.test(field.description) && !/\bname\b/i.test(field.description)
}
