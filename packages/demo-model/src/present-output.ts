import { isJsonObject, type JsonObject, saysUnknown, type ToolResultPart } from '@svc/contract'
import { splitName } from './words.ts'

const MAX_LISTED = 10
const MAX_LINES = 20
const MAX_TEXT = 600

/** A result in lines that a person can read. */
export function present({ name, output, error }: ToolResultPart): string {
  if (error !== undefined && saysUnknown(error.message)) return `I do not know whether that worked: ${error.message}`
  if (error !== undefined) return `That did not work: ${error.message}`
  const tool = labelOf(name)
  if (Array.isArray(output)) return listed('results', output)
  if (!isJsonObject(output)) return shown(output) || `${tool}: done.`
  const title = titleOf(output)
  const [noun, items] = listOf(output) ?? []
  const cards = cardsOf(output)
  const isTold = (text: string) => text.length >= TELLING && cards.some((card) => card.includes(text))
  const pairs = pairsOf(output).filter(({ key, text }) => key !== noun && text !== title && !isTold(text))
  const lines = pairs.slice(0, MAX_LINES).map(({ label, text }) => `- ${label}: ${text}`)
  const list = noun === undefined || items === undefined ? [] : [namesOf(noun, items, cards) ?? listed(noun, items)]
  const body = lines.length === 0 ? [] : [[`${title?.replace(/[.:]$/, '') ?? tool}:`, ...lines].join('\n')]
  return [...body, ...list].join('\n\n') || (title ?? `${tool}: done.`)
}

// A shorter text stands in a card by chance.
const TELLING = 4
const MAX_CARDS = 6

/** The texts of the cards that a chat draws beside the answer. */
function cardsOf({ svc }: JsonObject): string[] {
  const cards = isJsonObject(svc) && Array.isArray(svc['cards']) ? svc['cards'].slice(0, MAX_CARDS) : []
  return cards
    .filter(isJsonObject)
    .map(({ title, price, description }) => [title, price, description].map((text) => shown(text)).join('\n'))
}

// Things that have a card each are named alone: the card says the rest.
function namesOf(noun: string, items: readonly unknown[], cards: readonly string[]): string | null {
  const titles = items.map((item) => (isJsonObject(item) ? titleOf(item) : null))
  const isShown = (title: string | null) => title !== null && cards.some((card) => card.split('\n', 1)[0] === title)
  if (titles.length === 0 || titles.length > cards.length || !titles.every(isShown)) return null
  return `${labelOf(noun)}, ${items.length} in all: ${titles.join(', ')}.`
}

function listed(noun: string, items: readonly unknown[]): string {
  const lines = items.slice(0, MAX_LISTED).map((item) => `- ${isJsonObject(item) ? lineOf(item) : shown(item)}`)
  const more = items.length > MAX_LISTED ? [`\n… and ${items.length - MAX_LISTED} more.`] : []
  return [`${labelOf(noun)}, ${items.length} in all:`, ...lines, ...more].join('\n')
}

function lineOf(item: JsonObject): string {
  const title = titleOf(item) ?? 'One'
  const details = pairsOf(item).flatMap(({ label, text }) => (text === title ? [] : [`${label} ${text}`]))
  return details.length === 0 ? title : `${title} (${details.slice(0, MAX_LISTED).join(', ')})`
}

// The list that an output is about: one of things; one of words where little stands beside it.
function listOf(output: JsonObject): readonly [string, readonly unknown[]] | undefined {
  const lists = Object.entries(output).flatMap(([noun, list]) => (Array.isArray(list) ? [[noun, list] as const] : []))
  return lists.find(([, list]) => list.some(isJsonObject) || Object.keys(output).length <= 2)
}

// The chat widget draws `svc`, so that is not repeated in words; nor is a sum in cents that stands there as a text, too.
function pairsOf(thing: JsonObject, isInner = false): { key: string; label: string; text: string }[] {
  const entries = Object.entries(thing).slice(0, 2 * MAX_LINES)
  const told = entries.flatMap(([key, value]) => (typeof value === 'string' && /\d/.test(value) ? [labelOf(key)] : []))
  const pairs = entries.map(([key, value]) => {
    const label = labelOf(key)
    const sum = typeof value === 'number' ? label.replace(/ ?\bcents$/, '') : label
    if (sum === label) return { key, label, text: shown(value, isInner) }
    return { key, label: sum || 'amount', text: told.includes(sum) ? '' : moneyOf(Number(value), thing['currency']) }
  })
  return pairs.filter(({ key, text }) => text !== '' && key !== 'svc')
}

function moneyOf(cents: number, currency: unknown): string {
  const isCode = typeof currency === 'string' && /^[a-z]{3}$/i.test(currency)
  const form = isCode ? ({ style: 'currency', currency } as const) : { minimumFractionDigits: 2 }
  return (cents / 100).toLocaleString('en', form)
}

// A value in a few words; objects and lists one level deep.
function shown(value: unknown, isInner = false): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object' || value === null) return String(value ?? '').slice(0, MAX_TEXT)
  if (isInner) return (isJsonObject(value) && titleOf(value)) || '…'
  const pairs = isJsonObject(value) ? pairsOf(value, true).map(({ label, text }) => `${label} ${text}`) : null
  return (pairs ?? Object.values(value).map((item) => shown(item, true))).slice(0, MAX_LISTED).join(', ')
}

const TITLE = /^(name|title|label|subject|summary|displayname|fullname|productname)$/i
const ID = /(^|[a-z_-])(id|sku|slug|code|number|key|reference|uuid)$/i

// The label of a thing: its name or title, else its id.
function titleOf(thing: JsonObject): string | null {
  const keys = Object.keys(thing).filter((key) => typeof thing[key] === 'string' || typeof thing[key] === 'number')
  const key = keys.find((name) => TITLE.test(name)) ?? keys.find((name) => ID.test(name))
  return key === undefined ? null : shown(thing[key]) || null
}

/** `openingHours` as a person says it: “opening hours”. */
export const labelOf = (key: string): string => splitName(key).join(' ') || key.slice(0, 40)
