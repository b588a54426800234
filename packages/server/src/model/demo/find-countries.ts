import type { FoundText } from './find-dates.ts'
import type { Token } from './words.ts'

interface FoundCountry extends FoundText {
  /** ISO 3166, two letters. */
  code: string
}

const ALIASES: readonly (readonly [string, string])[] = [
  ['uk', 'GB'],
  ['great britain', 'GB'],
  ['britain', 'GB'],
  ['england', 'GB'],
  ['scotland', 'GB'],
  ['usa', 'US'],
  ['america', 'US'],
  ['the states', 'US'],
  ['holland', 'NL'],
  ['czech republic', 'CZ'],
  ['turkey', 'TR'],
]
const LONGEST_NAME = 4

let codesByName: ReadonlyMap<string, string> | undefined

/** Countries named in a text, by their English names, common aliases or codes in capitals. */
export function findCountries(tokens: readonly Token[]): FoundCountry[] {
  codesByName ??= countryNames()
  const found: FoundCountry[] = []
  for (let index = 0; index < tokens.length; index++) {
    const country = longestAt(codesByName, tokens, index) ?? codeAt(codesByName, tokens, index)
    if (country === null) continue
    found.push(country)
    index = Math.max(...country.places)
  }
  return found
}

function longestAt(names: ReadonlyMap<string, string>, tokens: readonly Token[], index: number): FoundCountry | null {
  for (let length = LONGEST_NAME; length > 0; length--) {
    const words = tokens.slice(index, index + length)
    const code = words.length < length ? undefined : names.get(words.map((token) => token.lower).join(' '))
    if (code === undefined) continue
    const value = words.map((token) => token.text).join(' ')
    return { code, value, places: words.map((_, offset) => index + offset) }
  }
  return null
}

// “DE” is a country only in capitals and behind a word of direction: “it”, “in” and “no” are codes too.
function codeAt(names: ReadonlyMap<string, string>, tokens: readonly Token[], index: number): FoundCountry | null {
  const text = tokens[index]?.text ?? ''
  if (!/^[A-Z]{2}$/.test(text) || !/^(to|in|for|from|country|is)$/.test(tokens[index - 1]?.lower ?? '')) return null
  return [...names.values()].includes(text) ? { code: text, value: text, places: [index] } : null
}

function countryNames(): Map<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const codes = new Map<string, string>()
  const letters = Array.from({ length: 26 }, (_, offset) => String.fromCharCode(65 + offset))
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code)
    if (name !== undefined && !isNoCountry(code)) codes.set(wordsOf(name), code)
  }
  for (const [alias, code] of ALIASES) codes.set(alias, code)
  return codes
}

// Codes kept for unions, for tests and for use by others, and the old ones of countries that changed theirs.
function isNoCountry(code: string): boolean {
  return /^(EU|EZ|UN|XA|XB|QO|ZZ|UK|SU|DD|YD|YU|CS|FX|TP|ZR|BU|AN|NT|VD)$/.test(code)
}

function wordsOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('&', 'and')
    .replaceAll(/[^\p{L}\p{N} '-]/gu, '')
}
