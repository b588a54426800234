/** A word of a text, with its place in it. */
export interface Word {
  text: string
  lower: string
  /** Joins the forms of a word: `shipping`, `shipped` and `ships` have one stem. */
  stem: string
  start: number
  end: number
}

const MAX_WORDS = 300
// E-mail addresses, ISO dates, the low end of `20-50`, negative numbers; then words and codes (`ORD-1234`, `49.90`, `it’s`), and $ € £ #.
const PIECES =
  /[\w.+-]{1,64}@[\w.-]{1,64}\w|\d{4}-\d{2}-\d{2}(?![\p{L}\p{N}])|\d+(?:[.,]\d+)?(?=-\d+(?:[.,]\d+)?(?![\p{L}\p{N}_-]))|(?<![^\s(])-\d+(?:[.,]\d+)*|[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+|[.,:/]\p{N}[\p{L}\p{N}]*)*|[$€£#]/gu

/** The first few hundred words of a text. */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(PIECES)].slice(0, MAX_WORDS).map(({ 0: piece, index }) => {
    const lower = piece.toLowerCase().replaceAll('’', "'")
    return { text: piece, lower, stem: stem(lower), start: index, end: index + piece.length }
  })
}

export const stemsOf = (text: string): string[] => wordsOf(text).map((word) => word.stem)

/** `maxPriceCents`, `max-price-cents` and `max_price_cents` are all [`max`, `price`, `cents`]. */
export function splitName(name: string): string[] {
  const spaced = name.slice(0, 200).replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
  return spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The light stem of an English word in lower case. */
export function stem(word: string): string {
  if (!/^[a-z']{4,40}$/.test(word)) return word
  const singular = word
    .replace(/'(s|re|ll|d|ve|m)$|(?<=^child)ren$/, '')
    .replace(/ies$/, 'y')
    .replace(/(?<=x|ch|sh|ss|z)es$|(?<=[^sui])s$/, '')
  const base = singular.replace(/(?<=[aeiouy].*..)(ing|ed|ment)$/, '')
  const single = base === singular ? base : base.replace(/([bdfgklmnprt])\1$/, '$1')
  return single.replace(/(?<=...)e$|(?<=...[^aeiou])y$|(?<=l)l$/, '')
}
