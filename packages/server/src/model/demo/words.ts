/** A word of a text, with where it stands. */
export interface Token {
  text: string
  lower: string
  /** Joins the forms of a word: `shipping`, `shipped` and `ships` have one stem. */
  stem: string
  start: number
  end: number
}

const MAX_TOKENS = 300
// Words, numbers and codes in one piece (`ORD-1234`, `49.90`, `it’s`); currency signs and # are pieces of their own.
const PIECES = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+|[.,:/]\p{N}[\p{L}\p{N}]*)*|[$€£#]/gu

/** The first few hundred words of a text. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(PIECES)) {
    if (tokens.length === MAX_TOKENS) break
    const [piece] = match
    const lower = piece.toLowerCase().replaceAll('’', "'")
    tokens.push({ text: piece, lower, stem: stem(lower), start: match.index, end: match.index + piece.length })
  }
  return tokens
}

/** The stems of a text, in order. */
export function stemsOf(text: string): string[] {
  return tokenize(text).map((token) => token.stem)
}

/** `maxPriceCents`, `max-price-cents` and `max_price_cents` are all [`max`, `price`, `cents`]. */
export function splitName(name: string): string[] {
  return name
    .slice(0, 200)
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The light stem of an English word in lower case. */
export function stem(word: string): string {
  const regular = IRREGULAR.get(word)
  if (regular !== undefined || /[^a-z']/.test(word) || word.length < 4) return regular ?? word
  return withoutFinalVowel(withoutSuffix(singular(word.replace(/'(s|re|ll|d|ve|m)$/, ''))))
}

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['bought', 'buy'],
  ['paid', 'pay'],
  ['sold', 'sell'],
  ['sent', 'send'],
  ['found', 'find'],
  ['people', 'person'],
])

function singular(word: string): string {
  if (!word.endsWith('s') || /(ss|us|is)$/.test(word) || word.length < 4) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(x|ch|sh|s|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

function withoutSuffix(word: string): string {
  const suffix = ['ing', 'ed', 'ment'].find((ending) => word.endsWith(ending) && word.length > ending.length + 2)
  if (suffix === undefined) return word
  const rest = word.slice(0, -suffix.length)
  if (!/[aeiouy]/.test(rest)) return word
  return /([bdfgklmnprt])\1$/.test(rest) && !rest.endsWith('ll') ? rest.slice(0, -1) : rest.replace(/ll$/, 'l')
}

function withoutFinalVowel(word: string): string {
  if (word.length >= 4 && word.endsWith('e')) return word.slice(0, -1)
  return word.length > 4 && /[^aeiou]y$/.test(word) ? word.slice(0, -1) : word.replace(/ll$/, 'l')
}
