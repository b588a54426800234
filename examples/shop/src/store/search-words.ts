/**
 * Full-text expressions for what somebody typed, the strictest first: every word, every word as a beginning
 * (“lanter”), any of the words. Empty when nothing in the text could name a product (“show me something nice”).
 */
export function searchExpressions(text: string): string[] {
  const words = searchWords(text)
  if (words.length === 0) return []
  const quoted = words.map((word) => `"${word}"`)
  return [quoted.join(' AND '), quoted.map((word) => `${word} *`).join(' AND '), quoted.join(' OR ')]
}

/** The words of a text that could name a product, in lower case. */
export function searchWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words)].filter((word) => !FILLERS.has(word)).slice(0, MOST_WORDS)
}

const MOST_WORDS = 12

const FILLERS = new Set(
  `a about all an and any anything are at available below best browse buy can cheap cheaper cheapest cost could do does
  else eur euro euros find for from get give good have i im in is item items it less like list looking me my need new
  nice of offer on one or order over please price products product recommend search sell shop show some something stock
  stuff than that the there these thing things this to under up us want we what whats which with would you your`.split(
    /\s+/,
  ),
)
