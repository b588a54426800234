import { isJsonObject, type JsonObject, type ToolResultPart } from '@svc/contract'
import { isPriceKey, labelOf, type Pair, pairsOf, shown, titleOf } from './present-value.ts'
import { readOutput } from './read-output.ts'

const MOST_LISTED = 10
const MOST_DETAILS = 4
const MOST_LINES = 20

/** What results say, in sentences that a person can read. */
export function answerFrom(results: readonly ToolResultPart[], inputs: ReadonlyMap<string, JsonObject>): string {
  return results.map((result) => answerOne(result, inputs.get(result.toolCallId) ?? {})).join('\n\n')
}

function answerOne(result: ToolResultPart, input: JsonObject): string {
  if (result.error !== undefined) return `That did not work: ${result.error.message.trim() || 'no reason was given.'}`
  const reading = readOutput(result.output)
  switch (reading.kind) {
    case 'nothing':
      return `${capitalised(labelOf(result.name))}: done.`
    case 'text':
      return shown(reading.text)
    case 'list':
      return paragraphs(listed(reading, input), beside(reading.rest))
    case 'thing':
      return told(reading, result.name)
    default:
      return reading satisfies never
  }
}

interface List {
  noun: string
  items: readonly unknown[]
}

// Each is lines. Right after a list a line would be read as a part of its last entry.
function paragraphs(...parts: readonly (readonly string[])[]): string {
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

function listed({ noun, items }: List, input: JsonObject): string[] {
  if (items.length === 0) return [`I found no ${labelOf(noun)}${condition(input)}.`]
  const [only] = items
  if (items.length === 1 && isJsonObject(only)) return [`I found one${condition(input)}: ${lineOf(only)}`]
  return [`I found ${items.length} ${labelOf(noun)}${condition(input)}:`, ...linesOf(items)]
}

function linesOf(items: readonly unknown[]): string[] {
  const lines = items.slice(0, MOST_LISTED).map((item) => `- ${isJsonObject(item) ? lineOf(item) : shown(item)}`)
  return items.length > MOST_LISTED ? [...lines, '', `… and ${items.length - MOST_LISTED} more.`] : lines
}

// What was looked for, the words before the limits: for “rain jacket”, max price 100.
function condition(input: JsonObject): string {
  const entries = Object.entries(input)
    .slice(0, 6)
    .filter(([, value]) => value !== '')
  const isWords = ([key]: [string, unknown]) => /^(query|q|search|text|term|keywords?)$/i.test(key)
  const words = entries.filter(isWords).map(([, value]) => `“${shown(value)}”`)
  const limits = entries
    .filter((entry) => !isWords(entry))
    .map(([key, value]) => (value === true ? labelOf(key) : `${labelOf(key)} ${shown(value)}`))
  return words.length + limits.length === 0 ? '' : ` for ${[...words, ...limits].join(', ')}`
}

// What only counts the list, or pages through it, is no news beside it.
function beside(rest: JsonObject): string[] {
  return pairsOf(rest)
    .filter(({ key }) => !/^(count|found|limit|offset|page|cursor|nextCursor|hasMore|itemCount)$/.test(key))
    .map(({ label, text }) => `${capitalised(label)}: ${text}`)
}

function lineOf(item: JsonObject): string {
  const title = titleOf(item) ?? 'One'
  const pairs = pairsOf(item).filter(({ text }) => text !== title)
  const price = pairs.find(({ key }) => isPriceKey(key))
  const details = withoutEchoes(pairs.filter((pair) => pair !== price)).slice(0, MOST_DETAILS)
  const rest = details.map(({ label, text }) => (text === 'yes' ? label : `${label} ${text}`)).join(', ')
  return [title, price === undefined ? '' : ` – ${price.text}`, rest === '' ? '' : ` (${rest})`].join('')
}

// “In stock: yes” beside “availability: in stock” says nothing new.
function withoutEchoes(pairs: readonly Pair[]): Pair[] {
  return pairs.filter(({ label, text }) => text !== 'yes' || !pairs.some((other) => other.text === label))
}

function told({ thing, list }: { thing: JsonObject; list: List | null }, tool: string): string {
  const title = titleOf(thing)
  const pairs = withoutEchoes(pairsOf(thing).filter(({ text }) => text !== title)).slice(0, MOST_LINES)
  const lines = pairs.map(({ label, text }) => `- ${label}: ${text}`)
  const items =
    list === null || list.items.length === 0 ? [] : [`${capitalised(labelOf(list.noun))}:`, ...linesOf(list.items)]
  if (lines.length + items.length === 0) return title ?? `${capitalised(labelOf(tool))}: done.`
  const heading = (title ?? capitalised(labelOf(tool))).replace(/[.:]+$/, '')
  return paragraphs([`${heading}:`, ...lines], items)
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
