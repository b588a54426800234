import { ACTIONS_BY_STEM, type Action, FILLER_WORDS, NUMBER_WORDS } from './vocabulary.ts'
import { type Token, tokenize } from './words.ts'

/** What a person said, taken apart. */
export interface Utterance {
  text: string
  tokens: readonly Token[]
  /** What they want done, with how sure that is, from 0 to 1. */
  wishes: ReadonlyMap<Action, number>
  /** Where the words stand that say what is wanted and not what about: `show me`, `how much is`. */
  cues: ReadonlySet<number>
}

const MAX_CHARACTERS = 4_000
const MAX_CUES = 6
const COMMAND_STRENGTH = 1
// “Can I pay by card?” asks whether, and does not yet ask to.
const WHETHER_STRENGTH = 0.7
const CUE_STRENGTH = 0.9
// Anywhere else a word that can be a verb may as well be an object, or nothing.
const LATER_STRENGTH = 0.45

export function understand(said: string): Utterance {
  const text = said.slice(0, MAX_CHARACTERS)
  const tokens = tokenize(text)
  const wishes = new Map<Action, number>()
  const cues = new Set<number>()
  const wish = (action: Action, strength: number) => wishes.set(action, Math.max(wishes.get(action) ?? 0, strength))
  const head = headOf(tokens)
  const isQuestion = QUESTION_WORDS.has(tokens[0]?.lower ?? '')
  for (const [index, token] of tokens.entries()) {
    const isCommand = index === head || (!isQuestion && isCommandAt(tokens, index))
    const strength = isCommand ? commandStrength(tokens) : LATER_STRENGTH
    for (const action of ACTIONS_BY_STEM.get(token.stem) ?? []) wish(action, strength)
  }
  if (head !== null) cues.add(head)
  for (const { action, start, length } of phrasesIn(tokens)) {
    wish(action, CUE_STRENGTH)
    for (let at = start; at < start + length; at++) cues.add(at)
  }
  return { text, tokens, wishes, cues }
}

// The first word that is no politeness, where it is a verb that this model knows: `could you please *cancel* my visit`.
function headOf(tokens: readonly Token[]): number | null {
  const index = tokens.findIndex((token) => !POLITE.has(token.lower))
  const token = tokens[index]
  if (token === undefined || !ACTIONS_BY_STEM.has(token.stem)) return null
  return isNounThere(token, tokens[index + 1]) ? null : index
}

const QUESTION_WORDS: ReadonlySet<string> = new Set(
  'how what when where why who which is are was were do does did has have'.split(' '),
)
const COMMAND_LEADS: ReadonlySet<string> = new Set("to and then please i'll now just".split(' '))

function isCommandAt(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index]?.lower ?? ''
  return COMMAND_LEADS.has(tokens[index - 1]?.lower ?? '') && !/(ed|ing|[^su]s)$/.test(word)
}

function commandStrength(tokens: readonly Token[]): number {
  const [first, second] = tokens
  const asksWhether = /^(can|could|may|might)$/.test(first?.lower ?? '') && /^(i|we|one)$/.test(second?.lower ?? '')
  return asksWhether ? WHETHER_STRENGTH : COMMAND_STRENGTH
}

// “Orders please” and “order status” ask about orders; “order two” asks for one to be made.
function isNounThere(token: Token, next: Token | undefined): boolean {
  if (/[^su]s$/.test(token.lower)) return true
  return /^(status|state|history|number|id|details|info|information|list)$/.test(next?.lower ?? '')
}

const POLITE: ReadonlySet<string> = new Set(
  (
    "hi hello hey please ok okay so well and then now yes yeah great thanks thank can could would will you i i'd i'll i'm want wanna would like " +
    "need to let's lets let me us we help just go ahead try kindly may might should also good perfect going gonna love id ill"
  ).split(' '),
)

const PHRASES: readonly (readonly [string, Action])[] = [
  ['i want', 'search'],
  ['i need', 'search'],
  ["i'd like", 'search'],
  ['i would like', 'search'],
  ['how many', 'get'],
  ['how many', 'list'],
  ['how much', 'price'],
  ['how expensive', 'price'],
  ['what does', 'price'],
  ['price of', 'price'],
  ['where is', 'status'],
  ["where's", 'status'],
  ['where are', 'status'],
  ['what happened to', 'status'],
  ['when will', 'status'],
  ['tell me about', 'get'],
  ['tell me more', 'get'],
  ['more about', 'get'],
  ['what is', 'get'],
  ["what's", 'get'],
  ['what are', 'list'],
  ['what have', 'list'],
  ['what did', 'list'],
  ['what was', 'get'],
  ["what's in", 'list'],
  ['which', 'list'],
  ['what kind', 'list'],
  ['what kinds', 'list'],
  ['what sort', 'list'],
  ['what sorts', 'list'],
  ['what types', 'list'],
  ['do you have', 'search'],
  ['do you sell', 'search'],
  ['do you carry', 'search'],
  ['do you stock', 'search'],
  ['have you got', 'search'],
  ['got any', 'search'],
  ['is there', 'search'],
  ['are there', 'search'],
  ['are there', 'list'],
  ['looking for', 'search'],
  ['look for', 'search'],
  ['in search of', 'search'],
  ['anything for', 'search'],
  ['something for', 'search'],
  ['look up', 'get'],
  ['check out', 'buy'],
  ["i'll take", 'add'],
  ['i will take', 'add'],
  ['put in', 'add'],
  ['call off', 'cancel'],
  ['get rid of', 'remove'],
  ['take out', 'remove'],
  ['set up', 'create'],
  ['sign up', 'create'],
  ['see a', 'book'],
  ['make an appointment', 'book'],
]

const PHRASES_BY_FIRST_WORD = byFirstWord()

interface Phrase {
  words: readonly string[]
  action: Action
}

function* phrasesIn(tokens: readonly Token[]): Generator<{ action: Action; start: number; length: number }> {
  let found = 0
  for (const [start, token] of tokens.entries()) {
    for (const { words, action } of PHRASES_BY_FIRST_WORD.get(token.lower) ?? []) {
      if (!words.every((word, offset) => tokens[start + offset]?.lower === word)) continue
      // “I want *to* …” wants something done, not found.
      if (words[0]?.startsWith('i') && tokens[start + words.length]?.lower === 'to') continue
      yield { action, start, length: words.length }
      found += 1
      if (found === MAX_CUES) return
    }
  }
}

function byFirstWord(): Map<string, Phrase[]> {
  const phrases = new Map<string, Phrase[]>()
  for (const [phrase, action] of PHRASES) {
    const words = phrase.split(' ')
    const first = words[0] ?? ''
    phrases.set(first, [...(phrases.get(first) ?? []), { words, action }])
  }
  return phrases
}

/** Whether a word carries meaning of its own. */
export function isContent(token: Token): boolean {
  return (
    !FILLER_WORDS.has(token.lower) && !NUMBER_WORDS.has(token.lower) && !/^([$€£#]|\d+([.,]\d+)?)$/.test(token.text)
  )
}
