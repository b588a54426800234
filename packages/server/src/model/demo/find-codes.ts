import type { Filling } from './filling.ts'
import { valueFor } from './memory.ts'
import { isSaid } from './present-value.ts'
import type { Field } from './schema-fields.ts'
import type { Token } from './words.ts'

const ORDINAL_OR_TIME = /^(\d{1,2}(st|nd|rd|th|am|pm|h)|\d{1,2}[:.]\d{2}(am|pm)?|\d{4}-\d{2}-\d{2})$/

/** Letters and digits in one piece, as ids, SKUs and order numbers are: `ORD-1234`, `p_12`, `A7`. */
export function looksLikeCode(token: Token): boolean {
  return /\d/.test(token.lower) && /[a-z_-]/.test(token.lower) && !ORDINAL_OR_TIME.test(token.lower)
}

/** An id in the words, or the one of the thing that the talk is about. */
export function findCode(filling: Filling, field: Field): unknown {
  const { tokens } = filling.utterance
  const candidates = tokens.flatMap((token, index) => {
    if (filling.used.has(index) || !field.fits(token.text)) return []
    const score = codeScore(token, tokens[index - 1], field)
    return score > 0 ? [{ index, text: token.text, score }] : []
  })
  const best = candidates.toSorted((a, b) => b.score - a.score)[0]
  if (best !== undefined) {
    filling.used.add(best.index)
    if (tokens[best.index - 1]?.text === '#') filling.used.add(best.index - 1)
    return best.text
  }
  return fromReference(filling, field)
}

function codeScore(token: Token, previous: Token | undefined, field: Field): number {
  const isLabelled =
    previous !== undefined &&
    (previous.text === '#' || /^(number|no|id|nr)$/.test(previous.lower) || field.stems.includes(previous.stem))
  const labelled = isLabelled ? 1 : 0
  const kin = field.stems.some((stem) => stem.length > 2 && token.lower.startsWith(stem.slice(0, 3))) ? 2 : 0
  if (looksLikeCode(token)) return 2 + labelled + kin
  if (/^\d+$/.test(token.lower)) return labelled * 2 || (field.stems.length > 1 ? 0.5 : 0)
  return field.hasPattern && !field.fits('the') && !field.fits(token.lower.slice(0, 1)) ? 1.5 : 0
}

/** A numeric id: `#42`, `ticket 42`, or the digits of a code. */
export function findNumericCode(filling: Filling, field: Field): unknown {
  const { tokens } = filling.utterance
  for (const [index, token] of tokens.entries()) {
    const digits = /^(?:[a-z]{1,6}-)?(\d{1,15})$/.exec(token.lower)?.[1]
    if (digits === undefined || filling.used.has(index)) continue
    const value = Number(digits)
    if (value < field.minimum || value > field.maximum) continue
    filling.used.add(index)
    return value
  }
  const value = fromReference(filling, field)
  return typeof value === 'number' ? value : undefined
}

function fromReference(filling: Filling, field: Field): unknown {
  const { reference } = filling
  if (reference === null) return undefined
  const value = valueFor(field, reference.thing)
  if (!isSaid(value) || (typeof value === 'string' && !field.fits(value))) return undefined
  for (const place of reference.places) filling.used.add(place)
  return value
}
