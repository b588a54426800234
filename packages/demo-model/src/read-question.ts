import { type FoundNumber, isNumberWord, readNumbers } from './read-numbers.ts'
import { ACTIONS_BY_PHRASE, ACTIONS_BY_STEM, type Action, FILLER_WORDS } from './vocabulary.ts'
import { type Word, wordsOf } from './words.ts'

/** The words of a person, taken apart. */
export interface Question {
  text: string
  words: readonly Word[]
  numbers: readonly FoundNumber[]
  /** How strongly each action is asked for, from 0 to 1. */
  wishes: ReadonlyMap<Action, number>
  /** Places of the words that ask (`show me`, `how much is`), as opposed to what they ask about. */
  asking: ReadonlySet<number>
}

const MAX_CHARACTERS = 4_000
const PHRASE_LENGTHS = [4, 3, 2, 1]
const PHRASE = 0.9
// “Can I pay by card?” asks whether, and does not yet ask to.
const WHETHER = 0.7
// A verb anywhere else may as well be an object, or nothing.
const MENTION = 0.45

export function readQuestion(said: string): Question {
  const text = said.slice(0, MAX_CHARACTERS)
  const words = wordsOf(text)
  const wishes = new Map<Action, number>()
  const asking = new Set<number>()
  const wish = (actions: readonly Action[] | undefined, strength: number) => {
    for (const action of actions ?? []) wishes.set(action, Math.max(wishes.get(action) ?? 0, strength))
  }
  const verb = leadingVerb(words)
  const command = /^\s*(can|could|may|might) (i|we|one)\b/i.test(text) ? WHETHER : 1
  const isOpen = /^\s*(how|what|when|where|why|who|which|is|are|was|were|do|does|did|has|have)\b/i.test(text)
  for (const [place, word] of words.entries()) {
    const isCommand = place === verb || (!isOpen && isCommandAt(words, place))
    wish(ACTIONS_BY_STEM.get(word.stem), isCommand ? command : MENTION)
    const phrase = phraseAt(words, place)
    wish(ACTIONS_BY_PHRASE.get(phrase.join(' ')), PHRASE)
    for (const offset of place === verb ? [0, ...phrase.keys()] : phrase.keys()) asking.add(place + offset)
  }
  return { text, words, numbers: readNumbers(text, words), wishes, asking }
}

// The longest phrase of asking that begins there. “I want *to* …” wants something done, not found.
function phraseAt(words: readonly Word[], place: number): readonly string[] {
  const phrases = PHRASE_LENGTHS.map((length) => words.slice(place, place + length).map(({ lower }) => lower))
  const isOwn = ({ 0: first, length }: string[]) => first?.startsWith('i') && words[place + length]?.lower === 'to'
  return phrases.find((phrase) => ACTIONS_BY_PHRASE.has(phrase.join(' ')) && !isOwn(phrase)) ?? []
}

const POLITE_WORDS =
  "hi hello hey please ok okay so well and then now yes yeah great thanks thank can could would will you i i'd i'll i'm " +
  "want wanna like need to let's lets let me us we help just go ahead try may might should also perfect going gonna love"
const POLITE: ReadonlySet<string> = new Set(POLITE_WORDS.split(' '))

// The first word that is no politeness, where it is a known verb: `could you please *cancel* my visit`.
function leadingVerb(words: readonly Word[]): number | null {
  const place = words.findIndex((word) => !POLITE.has(word.lower))
  const { lower, stem } = words[place] ?? { lower: '', stem: '' }
  // “Orders please” and “order status” ask about orders; “order two” asks for one to be made.
  const isNoun =
    /[^su]s$/.test(lower) || /^(status|history|number|id|details|list)$/.test(words[place + 1]?.lower ?? '')
  return ACTIONS_BY_STEM.has(stem) && !isNoun ? place : null
}

const isCommandAt = (words: readonly Word[], place: number) =>
  /^(to|and|then|please|i'll|now|just)$/.test(words[place - 1]?.lower ?? '') &&
  !/(ed|ing|[^su]s)$/.test(words[place]?.lower ?? '')

/** Whether a word carries meaning of its own. */
export const isContent = ({ lower }: Word): boolean => !FILLER_WORDS.has(lower) && !isNumberWord(lower)

/** Whether the word before is one of the same name: the “bag” of “sleeping bag”. */
export function isInName({ words, asking }: Question, place: number): boolean {
  const previous = words[place - 1]
  return previous !== undefined && isContent(previous) && !asking.has(place - 1)
}
