import { isJsonObject, type JsonObject, type Message } from '@svc/contract'
import { identityKey, priceOf, titleOf } from './present-value.ts'
import { readOutput } from './read-output.ts'
import type { Field } from './schema-fields.ts'
import { FILLER_WORDS } from './vocabulary.ts'
import { splitName, stem, stemsOf, type Token } from './words.ts'

/** What the conversation was about last: the things that the latest result named, and the call that brought them. */
export interface Memory {
  things: readonly JsonObject[]
  /** The latest list of several, which `the second one` counts in. */
  listed: readonly JsonObject[]
  call: { name: string; input: JsonObject } | null
}

const MAX_THINGS = 50
const MAX_RESULTS = 10

export function recall(messages: readonly Message[]): Memory {
  const results = messages
    .flatMap((message) => (message.role === 'tool' ? message.parts : []))
    .filter((part) => part.error === undefined)
    .slice(-MAX_RESULTS)
    .toReversed()
  const found = results.map((part) => thingsIn(part.output)).filter((things) => things.length > 0)
  const [latest] = results
  return {
    things: found[0] ?? [],
    listed: found.find((things) => things.length > 1) ?? found[0] ?? [],
    call: latest === undefined ? null : callOf(messages, latest.toolCallId),
  }
}

function thingsIn(output: unknown): JsonObject[] {
  const reading = readOutput(output)
  if (reading.kind === 'thing') return [reading.thing]
  return reading.kind === 'list' ? reading.items.slice(0, MAX_THINGS).filter(isJsonObject) : []
}

function callOf(messages: readonly Message[], id: string): Memory['call'] {
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue
    for (const part of message.parts) {
      if (part.type === 'tool_call' && part.id === id) return { name: part.name, input: part.input }
    }
  }
  return null
}

/** A thing that is meant by a text, with the words that mean it. */
export interface Reference {
  thing: JsonObject
  places: readonly number[]
  /** Only a pronoun means it. */
  isVague: boolean
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth']
const SHORT_ORDINALS = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th', '8th', '9th', '10th']
const PRONOUNS = new Set(['it', "it's", 'that', "that's", 'this', 'them', 'those', 'these'])

/** Which of the remembered things a text means: by its name, its place in the list, its price, or as `it`. */
export function referenceIn(tokens: readonly Token[], memory: Memory): Reference | null {
  return (
    byName(tokens, [...memory.things, ...memory.listed]) ??
    byOrdinal(tokens, memory.listed) ??
    byPrice(tokens, memory.listed) ??
    byPronoun(tokens, memory.things)
  )
}

function byName(tokens: readonly Token[], things: readonly JsonObject[]): Reference | null {
  let best: { reference: Reference; share: number } | null = null
  for (const thing of things) {
    const stems = new Set(stemsOf(titleOf(thing) ?? '').filter((word) => !FILLER_WORDS.has(word)))
    const places = tokens.flatMap((token, index) => (stems.has(token.stem) ? [index] : []))
    const share = stems.size === 0 ? 0 : new Set(places.map((place) => tokens[place]?.stem)).size / stems.size
    if (share > (best?.share ?? 0.5)) best = { reference: { thing, places, isVague: false }, share }
  }
  return best?.reference ?? null
}

function byOrdinal(tokens: readonly Token[], things: readonly JsonObject[]): Reference | null {
  for (const [index, token] of tokens.entries()) {
    const rank =
      token.lower === 'last'
        ? things.length - 1
        : Math.max(ORDINALS.indexOf(token.lower), SHORT_ORDINALS.indexOf(token.lower))
    const thing = rank < 0 ? undefined : things[rank]
    const next = tokens[index + 1]?.lower
    if (thing !== undefined && next === 'one') return { thing, places: [index, index + 1], isVague: false }
    if (thing !== undefined && tokens[index - 1]?.lower === 'the' && next === undefined)
      return { thing, places: [index], isVague: false }
  }
  return null
}

function byPrice(tokens: readonly Token[], things: readonly JsonObject[]): Reference | null {
  const index = tokens.findIndex(({ lower }) => lower === 'cheapest' || lower === 'cheaper' || lower === 'expensive')
  const isSingular = tokens[index + 1] === undefined || tokens[index + 1]?.lower === 'one'
  const priced = things.filter((thing) => priceOf(thing) !== null)
  if (index < 0 || !isSingular || priced.length === 0) return null
  const ordered = priced.toSorted((a, b) => (priceOf(a) ?? 0) - (priceOf(b) ?? 0))
  const thing = tokens[index]?.lower === 'expensive' ? ordered.at(-1) : ordered[0]
  const places = tokens[index + 1] === undefined ? [index] : [index, index + 1]
  return thing === undefined ? null : { thing, places, isVague: false }
}

function byPronoun(tokens: readonly Token[], things: readonly JsonObject[]): Reference | null {
  const index = tokens.findIndex((token) => PRONOUNS.has(token.lower))
  const thing = things[0]
  return index < 0 || thing === undefined ? null : { thing, places: [index], isVague: true }
}

/** What of a thing a field asks for: its member of that name, else what the description names first, else its identity. */
export function valueFor(field: Field, thing: JsonObject): unknown {
  const entries = Object.entries(thing).slice(0, 100)
  const same = entries.find(([key]) => sameName(key, field))
  if (same !== undefined) return same[1]
  const named = entries
    .map(([key, value]) => ({
      value,
      at: field.descriptionStems.indexOf(stem(splitName(key).at(-1) ?? '')),
      isId: key === identityKey(thing),
    }))
    .filter(({ value, at, isId }) => at >= 0 && (isId || value === titleOf(thing)))
    .toSorted((a, b) => a.at - b.at)[0]
  if (named !== undefined) return named.value
  const key = identityKey(thing)
  return key === null ? (titleOf(thing) ?? undefined) : thing[key]
}

function sameName(key: string, field: Field): boolean {
  return splitName(key).map(stem).join(' ') === field.stems.join(' ')
}
