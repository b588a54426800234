import { isJsonObject, type JsonObject } from '@svc/contract'

/** A tool's output: a thing, perhaps with a list of its parts, or a list of things with what stands beside it. */
type Reading =
  | { kind: 'nothing' }
  | { kind: 'text'; text: string }
  | { kind: 'list'; noun: string; items: readonly unknown[]; rest: JsonObject }
  | { kind: 'thing'; thing: JsonObject; list: { noun: string; items: readonly unknown[] } | null }

// What the chat widget renders is not repeated in words.
const RESERVED = 'svc'
// A page of results has little beside its list; a thing that has a list, such as an order with its items, has more.
const MOST_BESIDE_A_LIST = 3

export function readOutput(output: unknown): Reading {
  if (output === null || output === undefined) return { kind: 'nothing' }
  if (Array.isArray(output)) return { kind: 'list', noun: 'results', items: output, rest: {} }
  if (!isJsonObject(output)) return { kind: 'text', text: String(output) }
  const entries = Object.entries(output).filter(([key]) => key !== RESERVED)
  if (entries.length === 0) return { kind: 'nothing' }
  const list = listIn(entries)
  const rest = entries.filter(([key]) => key !== list?.noun)
  if (list === null || rest.length > MOST_BESIDE_A_LIST) {
    const isOfThings = list?.items.some(isJsonObject) === true
    return { kind: 'thing', thing: Object.fromEntries(isOfThings ? rest : entries), list: isOfThings ? list : null }
  }
  return { kind: 'list', ...list, rest: Object.fromEntries(rest) }
}

// A list of things is what an output is about; one of words only where nothing of more weight stands beside it.
function listIn(entries: readonly [string, unknown][]): { noun: string; items: readonly unknown[] } | null {
  const lists = entries.flatMap(([noun, value]) => (Array.isArray(value) ? [{ noun, items: value }] : []))
  const isBare = entries.every(([, value]) => Array.isArray(value) || typeof value === 'number')
  return (
    lists.find(({ items }) => items.some(isJsonObject)) ??
    lists.find(({ items }) => items.length === 0 || isBare) ??
    null
  )
}
