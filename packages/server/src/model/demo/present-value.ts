import { isJsonObject, type JsonObject } from '@svc/contract'
import { splitName } from './words.ts'

const TITLE_KEYS = ['name', 'title', 'label', 'subject', 'displayName', 'fullName', 'summary', 'productName']
const ID_KEYS = ['id', 'sku', 'slug', 'code', 'number', 'key', 'reference', 'ref', 'uuid']
const PRICE_WORDS = new Set('price cost total amount fee subtotal charge rate fare'.split(' '))
const MAX_TEXT = 600

/** What a thing is called: its name or title, else what identifies it, else nothing. */
export function titleOf(item: JsonObject): string | null {
  const key = TITLE_KEYS.find((name) => isSaid(item[name])) ?? identityKey(item)
  return key === null ? null : shown(item[key])
}

/** The key under which a thing carries its identity: `id`, `sku`, `orderNumber` and the like. */
export function identityKey(item: JsonObject): string | null {
  const plain = ID_KEYS.find((name) => isSaid(item[name]))
  if (plain !== undefined) return plain
  const keys = Object.keys(item).slice(0, 100)
  return keys.find((key) => ID_KEYS.includes(splitName(key).at(-1) ?? '') && isSaid(item[key])) ?? null
}

/** Whether a key names an amount of money. */
export function isPriceKey(key: string): boolean {
  return splitName(key).some((word) => PRICE_WORDS.has(word))
}

/** The number to order a thing by its price, or null. */
export function priceOf(item: JsonObject): number | null {
  for (const [key, value] of Object.entries(item)) {
    if (!isPriceKey(key)) continue
    const amount = isJsonObject(value) ? value['amount'] : value
    const number =
      typeof amount === 'number'
        ? amount
        : Number.parseFloat(
            String(amount)
              .replaceAll(/[^\d.,-]/g, '')
              .replace(',', '.'),
          )
    if (Number.isFinite(number)) return number
  }
  return null
}

/** A price as a person writes it, with its currency where the thing names one. */
function priceText(item: JsonObject, key: string): string | null {
  const value = item[key]
  if (isJsonObject(value)) return priceText({ ...value, currency: value['currency'] ?? item['currency'] }, 'amount')
  if (typeof value === 'string') return shown(value)
  if (typeof value !== 'number') return null
  const words = splitName(key)
  const amount = words.some((word) => word === 'cents' || word === 'minor' || word === 'pence') ? value / 100 : value
  const named = words.find((word) => /^(eur|usd|gbp|chf)$/.test(word))
  return money(amount, named ?? item['currency'])
}

function money(amount: number, currency: unknown): string {
  if (typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency)) {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount)
  }
  return Number.isInteger(amount) ? String(amount) : amount.toFixed(2)
}

/** A value in a few words; objects and lists in the values that they hold. */
export function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value
      .slice(0, 10)
      .map(shownWithin)
      .filter((text) => text !== '')
      .join(', ')
  if (isJsonObject(value)) return shownWithin(value)
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value.trim() : String(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

// One level only, so that deep results stay readable and cheap.
function shownWithin(value: unknown): string {
  if (!isJsonObject(value)) return Array.isArray(value) ? `${value.length} entries` : shown(value)
  const title = titleOf(value)
  if (title !== null) return title
  const plain = Object.fromEntries(Object.entries(value).filter(([, part]) => isSaid(part)))
  const pairs = pairsOf(plain).slice(0, 6)
  return pairs.map(({ label, text }) => `${label} ${text}`).join(', ')
}

/** A member of a thing, as it is said. */
export interface Pair {
  key: string
  label: string
  text: string
}

/** The members of a thing that are worth saying. A price that stands there twice, whole and in cents, is said once. */
export function pairsOf(thing: JsonObject): Pair[] {
  const pairs = Object.entries(thing)
    .slice(0, 60)
    .filter(([key]) => key !== 'currency' && !isIdleId(thing, key))
    .map(([key, value]) => ({ key, label: labelOf(key), text: textOf(thing, key, value) }))
  return pairs.filter(({ key, text }) => text !== '' && !(CENTS.test(key) && hasWhole(pairs, key)))
}

const CENTS = /[_-]?(cents|minor|pence)$/i

function hasWhole(pairs: readonly Pair[], key: string): boolean {
  return pairs.some((pair) => pair.key === key.replace(CENTS, '') && pair.text !== '')
}

// An id beside a name tells a reader nothing, where a number or a code such as a SKU may.
function isIdleId(thing: JsonObject, key: string): boolean {
  return key === 'id' && titleOf(thing) !== null && titleOf(thing) !== shown(thing['id'])
}

function textOf(thing: JsonObject, key: string, value: unknown): string {
  const isAmount = isJsonObject(value) && typeof value['amount'] === 'number'
  if (isAmount || (isPriceKey(key) && isSaid(value))) return priceText(thing, key) ?? shown(value)
  return shown(value)
}

/** `openingHours` as a person says it: “opening hours”. */
export function labelOf(key: string): string {
  return splitName(key).join(' ') || key.slice(0, 40)
}

/** A value that can be said as it is: text that is not empty, a number or a truth. */
export function isSaid(value: unknown): value is string | number | boolean {
  return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number' || typeof value === 'boolean'
}
