import { JsonText } from '../lib/json-text.ts'

/** A text longer than this, in UTF-16 units, is not made into JSON in one go. */
const PIECE_LENGTH = 16 * 1024

/** Whether a JSON value holds a text that {@link jsonPieces} would take apart, or JSON that is written already. */
export function needsPieces(value: unknown): boolean {
  if (typeof value === 'string') return value.length > PIECE_LENGTH
  if (typeof value !== 'object' || value === null) return false
  return value instanceof JsonText || Object.values(value).some(needsPieces)
}

/** The content type of {@link jsonInOne}, which Fastify does not set for a serializer of a reply's own. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The text that `JSON.stringify` makes of a JSON value. JSON that is written already is not parsed again. */
export function jsonInOne(value: unknown): string {
  if (value instanceof JsonText) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonInOne).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  let text = ''
  for (const [name, field] of Object.entries(value)) {
    if (field !== undefined) text += `${text && ','}${JSON.stringify(name)}:${jsonInOne(field)}`
  }
  return `{${text}}`
}

/** The same in order and in pieces, so that a long text is never there twice. */
export function* jsonPieces(value: unknown): Generator<string> {
  let written = ''
  for (const part of parts(value)) {
    written += part
    if (written.length < PIECE_LENGTH) continue
    yield written
    written = ''
  }
  if (written !== '') yield written
}

function* parts(value: unknown): Generator<string> {
  if (!needsPieces(value)) yield JSON.stringify(value ?? null)
  else if (value instanceof JsonText) yield* slices(value.text)
  else if (typeof value === 'string') yield* textParts(value)
  else if (Array.isArray(value)) yield* listed('[]', value, parts)
  else if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    yield* listed('{}', fields, fieldParts)
  }
}

function* fieldParts([name, value]: readonly [string, unknown]): Generator<string> {
  yield `${JSON.stringify(name)}:`
  yield* parts(value)
}

function* listed<T>(brackets: '[]' | '{}', items: readonly T[], partsOf: (item: T) => Iterable<string>) {
  yield brackets.charAt(0)
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ','
    yield* partsOf(item)
  }
  yield brackets.charAt(1)
}

function* textParts(text: string): Generator<string> {
  yield '"'
  for (const slice of slices(text)) yield JSON.stringify(slice).slice(1, -1)
  yield '"'
}

function* slices(text: string) {
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from)
    yield text.slice(from, to)
    from = to
  }
}

// Never between the halves of one character: each by itself would be written as an escape.
function endOfPiece(text: string, from: number): number {
  const to = Math.min(from + PIECE_LENGTH, text.length)
  const last = text.charCodeAt(to - 1)
  const isFirstHalf = last >= 0xd800 && last <= 0xdbff
  return isFirstHalf && to < text.length ? to + 1 : to
}
