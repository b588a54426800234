import type { Filling, Found } from './fill-input.ts'
import type { FoundNumber } from './read-numbers.ts'
import { isInName } from './read-question.ts'
import type { Field, Kind } from './schema-fields.ts'
import { FILLER_STEMS, sameAs } from './vocabulary.ts'
import { stemsOf, type Word } from './words.ts'

type Finder = (filling: Filling, field: Field) => Found | undefined

const FINDERS: Readonly<Partial<Record<Kind, Finder>>> = {
  option: findOption,
  flag: findFlag,
  email: (filling) => firstWord(filling, ({ lower }) => lower.includes('@')),
  date: (filling) => firstWord(filling, ({ lower }) => /^\d{4}-\d{2}-\d{2}$/.test(lower)),
  time: (filling) => firstWord(filling, ({ lower }) => /^\d{1,2}:\d{2}$/.test(lower)),
  code: findCode,
  people: findPeople,
}

/** The part of a question whose form tells its field: an option, a code, a date, a number. */
export const findValue: Finder = (filling, field) => (FINDERS[field.kind] ?? findNumber)(filling, field)

function firstWord({ question, used }: Filling, isIt: (word: Word) => boolean): Found | undefined {
  const place = question.words.findIndex((word, at) => !used.has(at) && isIt(word))
  return place < 0 ? undefined : { value: question.words[place]?.text, places: [place] }
}

// The option whose words are all there, or words that mean the same; the longest wins.
function findOption(filling: Filling, field: Field): Found | undefined {
  const { question, profile } = filling
  const hasQuery = profile.fields.some(({ kind }) => kind === 'query')
  const found = field.options.flatMap((option) => {
    const places = stemsOf(String(option).replaceAll('_', ' ')).map((stem) => placeOf(filling, stem))
    const start = Math.min(...places)
    // “Bags” is a category, “sleeping bags” are things, where a query can take them.
    const isThing = hasQuery && isInName(question, start) && !profile.terms.has(question.words[start - 1]?.stem ?? '')
    return places.length === 0 || places.includes(-1) || isThing ? [] : [{ value: option, places }]
  })
  return found.toSorted((a, b) => b.places.length - a.places.length)[0]
}

function placeOf({ question: { words }, used }: Filling, stem: string): number {
  const place = (wanted: readonly string[]) =>
    words.findIndex((word, at) => wanted.includes(word.stem) && !used.has(at))
  return place([stem]) >= 0 ? place([stem]) : place(sameAs(stem))
}

function findFlag(filling: Filling, { stems }: Field): Found | undefined {
  const telling = stems.filter((stem) => !/^(is|has|only|includ|with|show|in|on)$/.test(stem))
  const places = telling.map((stem) => placeOf(filling, stem))
  if (places.length === 0 || places.includes(-1)) return undefined
  const start = Math.min(...places)
  const before = filling.question.words.slice(Math.max(0, start - 3), start)
  return { value: !before.some(({ lower }) => /^(not|no|without|never|exclud(e|ing)|\w+n't)$/.test(lower)), places }
}

function findCode(filling: Filling, { type, matches }: Field): Found | undefined {
  const isCode = ({ text, lower }: Word) => (looksLikeCode(lower) || /^\d{1,15}$/.test(lower)) && matches(text)
  const found = firstWord(filling, (word) => isCode(word) && looksLikeCode(word.lower)) ?? firstWord(filling, isCode)
  if (found === undefined || type === 'string') return found
  return { ...found, value: Number(/\d+/.exec(String(found.value))?.[0]) }
}

// Letters and digits in one piece, as ids, SKUs and order numbers are; no times, ranks and weights.
const looksLikeCode = (lower: string) =>
  /\d/.test(lower) && /[a-z_-]/.test(lower) && !/^-|^[\d:.]+([ap]m|st|nd|rd|th|[hxkgml]|[kc]?[gm]|ml)$/.test(lower)

type Wanted = (number: FoundNumber, field: Field) => boolean
const isOfUnit: Wanted = ({ unit }, { stems }) => stems.includes(unit)
const isPlain: Wanted = ({ isMoney, bound, isLabel }) => !(isMoney || bound || isLabel)
const isSum: Wanted = ({ isMoney, bound }) => isMoney && bound === null
// “A table for 2 tonight” counts people; “2 dogs” and “2 nights” do not.
const isBare: Wanted = (number, field) =>
  isPlain(number, field) && !THING.test(number.unit) && (number.unit === '' || FILLER_STEMS.has(number.unit))
const isNeeded: Wanted = (number, field) => field.isRequired && isPlain(number, field)

/** Which number goes into a field: what comes first is preferred. */
const NUMBERS: Readonly<Partial<Record<Kind, readonly Wanted[]>>> = {
  max: [({ bound }) => bound === 'max', isSum],
  min: [({ bound }) => bound === 'min'],
  count: [isOfUnit, isPlain],
  people: [isOfUnit, isBare],
  amount: [isSum, isOfUnit, isNeeded],
  number: [isOfUnit, isNeeded],
}

function findNumber({ question, used }: Filling, field: Field): Found | undefined {
  const fitting = (NUMBERS[field.kind] ?? []).flatMap((wanted) => question.numbers.filter((one) => wanted(one, field)))
  const found = fitting.find(({ place, value }) => !used.has(place) && inUnitOf(field, value) !== null)
  return found && { value: inUnitOf(field, found.value), places: [found.place] }
}

// People say euros; a field may count in cents. What a field cannot hold exactly does not go into it.
function inUnitOf(field: Field, value: number | null): number | null {
  const isInCents = field.stems.includes('cent') || /\bin (cents|pence|minor units)\b/i.test(field.description)
  const inUnit = value === null || !isInCents ? value : Math.round(value * 100)
  return inUnit !== null && field.type === 'integer' && !Number.isInteger(inUnit) ? null : inUnit
}

const THING = /^(peopl|person|year|month|week|day|cent|penc)$/
const PEOPLE = /^(peopl|person|guest|adult|child|kid|baby|infant|toddler|teen|teenager|student|senior|friend)$/

// “Two adults and 1 child” are three people, unless adults or children have fields of their own.
function findPeople(filling: Filling, field: Field): Found | undefined {
  const isOfAll = !field.stems.some((stem) => /^(adult|child|kid)$/.test(stem))
  const people = filling.question.numbers.filter(({ unit, value }) => isOfAll && PEOPLE.test(unit) && value !== null)
  const value = people.reduce((sum, number) => sum + (number.value ?? 0) + Number(number.isPlusSelf), 0)
  if (people.length === 0 || !Number.isInteger(value)) return findNumber(filling, field)
  return { value, places: people.flatMap(({ place }) => [place, place + 1]) }
}
