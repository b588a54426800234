import { NUMBER_WORDS } from './vocabulary.ts'
import type { Token } from './words.ts'

/** A number in a text, and what its surroundings make of it. */
export interface FoundNumber {
  value: number
  /** The words that make it up, its unit and its bound included. */
  places: readonly number[]
  isMoney: boolean
  bound: 'max' | 'min' | null
  /** The stem of the word behind it: `2 *nights*`. */
  unit: string
  /** It says how many of a list: `top 5`. */
  isPageSize: boolean
  /** Written with a # or after a word such as `number`. */
  isLabelled: boolean
}

const MONEY = new Set(
  '$ € £ eur euro euros usd dollar dollars gbp pound pounds chf franc francs buck bucks quid'.split(' '),
)
const BOUNDS_BEFORE: readonly (readonly [string, 'max' | 'min'])[] = [
  ['no more than', 'max'],
  ['not more than', 'max'],
  ['less than', 'max'],
  ['cheaper than', 'max'],
  ['lower than', 'max'],
  ['at most', 'max'],
  ['up to', 'max'],
  ['budget of', 'max'],
  ['budget is', 'max'],
  ['under', 'max'],
  ['below', 'max'],
  ['max', 'max'],
  ['maximum', 'max'],
  ['within', 'max'],
  ['beneath', 'max'],
  ['budget', 'max'],
  ['more than', 'min'],
  ['at least', 'min'],
  ['starting at', 'min'],
  ['over', 'min'],
  ['above', 'min'],
  ['from', 'min'],
  ['minimum', 'min'],
  ['min', 'min'],
]
const BOUNDS_AFTER: readonly (readonly [string, 'max' | 'min'])[] = [
  ['or less', 'max'],
  ['or under', 'max'],
  ['or below', 'max'],
  ['or cheaper', 'max'],
  ['max', 'max'],
  ['at most', 'max'],
  ['tops', 'max'],
  ['or more', 'min'],
  ['or above', 'min'],
]

/** Every number of a text, in order. */
export function findNumbers(tokens: readonly Token[]): FoundNumber[] {
  const found: FoundNumber[] = []
  for (const index of tokens.keys()) {
    const value = numberAt(tokens, index)
    if (value !== null && !found.at(-1)?.places.includes(index)) found.push(surroundings(tokens, { index, value }))
  }
  return withRange(tokens, found)
}

function numberAt(tokens: readonly Token[], index: number): number | null {
  const token = tokens[index]
  if (token === undefined) return null
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(token.lower)) return Number(token.lower.replaceAll(',', ''))
  if (/^\d+([.,]\d{1,2})?$/.test(token.lower)) return Number(token.lower.replace(',', '.'))
  if (token.lower === 'one' && isPronounOne(tokens, index)) return null
  return NUMBER_WORDS.get(token.lower) ?? null
}

// “one lantern” counts; “the cheap one”, “this one” and “which one” do not.
function isPronounOne(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1]
  return (
    next === undefined ||
    (index > 0 &&
      !/^(add|buy|take|put|get|order|want|need|for|have|just|only|book|of)$/.test(tokens[index - 1]?.lower ?? ''))
  )
}

function surroundings(tokens: readonly Token[], at: { index: number; value: number }): FoundNumber {
  const { index, value } = at
  const places = [index]
  const signBefore = MONEY.has(tokens[index - 1]?.lower ?? '')
  const signAfter = MONEY.has(tokens[index + 1]?.lower ?? '')
  if (signBefore) places.unshift(index - 1)
  if (signAfter) places.push(index + 1)
  const before = phraseBefore(tokens, places[0] ?? index)
  const after = phraseAfter(tokens, places.at(-1) ?? index)
  const isPageSize = /^(top|first|last)$/.test(tokens[index - 1]?.lower ?? '')
  if (isPageSize) places.unshift(index - 1)
  places.push(...(before?.places ?? []), ...(after?.places ?? []))
  return {
    value,
    places,
    isMoney: signBefore || signAfter,
    bound: before?.bound ?? after?.bound ?? null,
    unit: signAfter ? '' : (tokens[index + 1]?.stem ?? ''),
    isPageSize,
    isLabelled: /^(#|number|no|nr|id)$/.test(tokens[index - 1]?.lower ?? ''),
  }
}

interface Bound {
  bound: 'max' | 'min'
  places: number[]
}

function phraseBefore(tokens: readonly Token[], end: number): Bound | null {
  // “under about 50”, “below the 50”: one small word may stand between.
  for (const gap of [0, 1]) {
    if (gap === 1 && !/^(about|around|the|a|roughly)$/.test(tokens[end - 1]?.lower ?? '')) continue
    for (const [phrase, bound] of BOUNDS_BEFORE) {
      const start = end - gap - phrase.split(' ').length
      if (start >= 0 && phraseAt(tokens, start, phrase)) return { bound, places: range(start, end) }
    }
  }
  return null
}

function phraseAfter(tokens: readonly Token[], last: number): Bound | null {
  for (const [phrase, bound] of BOUNDS_AFTER) {
    if (phraseAt(tokens, last + 1, phrase))
      return { bound, places: range(last + 1, last + 1 + phrase.split(' ').length) }
  }
  return null
}

function phraseAt(tokens: readonly Token[], start: number, phrase: string): boolean {
  return phrase.split(' ').every((word, offset) => tokens[start + offset]?.lower === word)
}

// “between 20 and 50”, “20 to 50 euros”, “20-50”.
function withRange(tokens: readonly Token[], found: readonly FoundNumber[]): FoundNumber[] {
  return found.map((number, index) => {
    const previous = found[index - 1]
    const next = found[index + 1]
    if (next !== undefined && isRange(tokens, number, next)) {
      const between =
        tokens[Math.min(...number.places) - 1]?.lower === 'between' ? [Math.min(...number.places) - 1] : []
      return {
        ...number,
        bound: 'min',
        isMoney: number.isMoney || next.isMoney,
        places: [...between, ...number.places],
      }
    }
    return previous !== undefined && isRange(tokens, previous, number) ? { ...number, bound: 'max' } : number
  })
}

function isRange(tokens: readonly Token[], low: FoundNumber, high: FoundNumber): boolean {
  const start = Math.min(...low.places)
  const gap = range(Math.max(...low.places) + 1, Math.min(...high.places))
  if (gap.length !== 1 || low.value >= high.value) return false
  const joint = tokens[gap[0] ?? 0]?.lower
  return (
    (joint === 'and' && tokens[start - 1]?.lower === 'between') || (joint === 'to' && (high.isMoney || low.isMoney))
  )
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
}
