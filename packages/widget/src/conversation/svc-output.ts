import type { JsonObject } from '@svc/contract'
import { RESERVED_OUTPUT_LIMITS as LIMITS } from '@svc/contract/reserved-output'
import { isRecord } from '../client/read-json.ts'
import { safeLine } from './safe-text.ts'
import type { UrlCheck } from './safe-url.ts'

export interface LinkAction {
  readonly type: 'link'
  readonly label: string
  readonly description: string | null
  readonly url: string
  readonly isPrimary: boolean
}

/** Says `value` in the end user’s name. */
export interface ReplyAction {
  readonly type: 'reply'
  readonly label: string
  readonly description: string | null
  readonly value: string
}

export type Action = LinkAction | ReplyAction

export interface ProductCard {
  readonly title: string
  readonly price: string | null
  readonly description: string | null
  readonly image: { readonly url: string; readonly alt: string } | null
  readonly url: string | null
  readonly actions: readonly Action[]
}

/** A pending result: this capability is polled until its output is final. */
export interface Pending {
  readonly capability: string
  /** Shown in place of the capability’s name. */
  readonly label: string | null
  readonly input: JsonObject
  readonly intervalMs: number
  readonly timeoutMs: number
}

/** What an output holds under the reserved key `svc`, checked and cut to what is shown. */
export interface SvcOutput {
  readonly isSettled: boolean
  readonly actions: readonly Action[]
  readonly cards: readonly ProductCard[]
  readonly pending: Pending | null
}

// Malformed entries do not count, but of a list without end only its beginning is looked at.
const MOST_READ = 32
const CAPABILITY = /^[A-Za-z][A-Za-z0-9-]{0,63}$/

/** Reads an output of any shape; what is malformed in it is left out. Never throws. */
export function readSvcOutput(output: unknown, checkUrl: UrlCheck): SvcOutput {
  const svc = isRecord(output) ? own(output, 'svc') : null
  if (!isRecord(svc)) return NOTHING
  const isSettled = own(svc, 'settled') === true
  return {
    isSettled,
    actions: actionsOf(svc, LIMITS.actions, checkUrl),
    cards: listOf(own(svc, 'cards'), LIMITS.cards, (entry) => readCard(entry, checkUrl)),
    pending: isSettled ? null : readPending(own(svc, 'pending')),
  }
}

const NOTHING: SvcOutput = { isSettled: false, actions: [], cards: [], pending: null }

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function listOf<T>(value: unknown, most: number, read: (entry: Record<string, unknown>) => T | null): T[] {
  if (!Array.isArray(value)) return []
  return value
    .slice(0, MOST_READ)
    .flatMap((entry) => (isRecord(entry) ? (read(entry) ?? []) : []))
    .slice(0, most)
}

function actionsOf(holder: Record<string, unknown>, most: number, checkUrl: UrlCheck): Action[] {
  return listOf(own(holder, 'actions'), most, (entry) => readAction(entry, checkUrl))
}

function readAction(entry: Record<string, unknown>, checkUrl: UrlCheck): Action | null {
  const label = lineOf(own(entry, 'label'), LIMITS.labelCharacters)
  if (label === null) return null
  const type = own(entry, 'type')
  const description = lineOf(own(entry, 'description'), LIMITS.descriptionCharacters)
  if (type === 'link') {
    const url = urlOf(own(entry, 'url'), checkUrl)
    return url === null ? null : { type, label, description, url, isPrimary: own(entry, 'style') === 'primary' }
  }
  if (type !== 'reply') return null
  const value = replyOf(own(entry, Object.hasOwn(entry, 'value') ? 'value' : 'label'))
  return value === null ? null : { type, label, description, value }
}

// Half of a sentence may say the opposite of the whole: what is too long to be said is left out.
function replyOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LIMITS.replyCharacters) return null
  return lineOf(value, LIMITS.replyCharacters)
}

function readCard(entry: Record<string, unknown>, checkUrl: UrlCheck): ProductCard | null {
  const title = lineOf(own(entry, 'title'), LIMITS.titleCharacters)
  if (title === null || own(entry, 'type') !== 'product') return null
  return {
    title,
    price: lineOf(own(entry, 'price'), LIMITS.priceCharacters),
    description: lineOf(own(entry, 'description'), LIMITS.descriptionCharacters),
    image: readImage(own(entry, 'image'), checkUrl),
    url: urlOf(own(entry, 'url'), checkUrl),
    actions: actionsOf(entry, LIMITS.cardActions, checkUrl),
  }
}

function readImage(value: unknown, checkUrl: UrlCheck): ProductCard['image'] {
  if (!isRecord(value)) return null
  const url = urlOf(own(value, 'url'), checkUrl)
  return url === null ? null : { url, alt: lineOf(own(value, 'alt'), LIMITS.altCharacters) ?? '' }
}

function readPending(value: unknown): Pending | null {
  if (!isRecord(value)) return null
  const capability = own(value, 'capability')
  const input = own(value, 'input') ?? {}
  if (typeof capability !== 'string' || !CAPABILITY.test(capability) || !isRecord(input)) return null
  if (JSON.stringify(input).length > LIMITS.pendingInputCharacters) return null
  return {
    capability,
    label: lineOf(own(value, 'label'), LIMITS.labelCharacters),
    input,
    intervalMs: within(own(value, 'intervalMs'), LIMITS.intervalMs),
    timeoutMs: within(own(value, 'timeoutMs'), LIMITS.timeoutMs),
  }
}

function within(value: unknown, bounds: { least: number; most: number; otherwise: number }): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return bounds.otherwise
  return Math.min(Math.max(value, bounds.least), bounds.most)
}

function lineOf(value: unknown, most: number): string | null {
  return (typeof value === 'string' && safeLine(value, most)) || null
}

function urlOf(value: unknown, checkUrl: UrlCheck): string | null {
  return typeof value === 'string' ? checkUrl(value) : null
}
