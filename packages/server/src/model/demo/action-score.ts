import type { Heard } from './heard.ts'
import { referenceIn } from './memory.ts'
import type { ToolProfile } from './tool-profile.ts'
import { type Action, affinity, WRITES } from './vocabulary.ts'

const ACTION_WEIGHT = 3
const ASKED_FOR = 0.5
const UNASKED_WRITE = 12
const UNASKED_IF_A_WRITE = 4
const SAME_VERB = 1
const READ_FOR_A_WRITE = 3
const SURE = 0.9

/** How well a tool does what is wanted. To change something unasked weighs heavily, and so does to leave it undone. */
export function actionScore(profile: ToolProfile, heard: Heard): number {
  const wished = [...wishesOf(heard)].map(([wish, strength]) => ({
    strength,
    isWrite: WRITES.has(wish),
    fit: strength * Math.max(0, ...[...profile.actions].map((action) => affinity(wish, action))),
    // Who wants to buy something is served by finding it, too.
    isServedByFinding: wish === 'buy' && profile.actions.has('search'),
  }))
  const met = ACTION_WEIGHT * Math.max(0, ...wished.map(({ fit }) => fit))
  const writes = wished.filter(({ isWrite }) => isWrite)
  if (profile.writes) {
    if (writes.some(({ fit }) => fit >= ASKED_FOR)) return met + (namesVerb(profile, heard) ? SAME_VERB : 0)
    return met - ([...profile.actions].every((action) => WRITES.has(action)) ? UNASKED_WRITE : UNASKED_IF_A_WRITE)
  }
  const wantsWrite = writes.some(({ strength, isServedByFinding }) => strength >= SURE && !isServedByFinding)
  const wantsRead = wished.some(({ strength, isWrite }) => strength >= SURE && !isWrite)
  return wantsWrite && !wantsRead ? met - READ_FOR_A_WRITE : met
}

// To close and to assign are both to update; the verb itself tells them apart.
function namesVerb(profile: ToolProfile, { utterance }: Heard): boolean {
  return utterance.tokens.some(({ stem }, place) => utterance.cues.has(place) && profile.nameStems.has(stem))
}

type Wishes = ReadonlyMap<Action, number>
const wishes = (...entries: [Action, number][]): Wishes => new Map(entries)

const OF_A_PHRASE = wishes(['search', 0.5], ['list', 0.3])
const OF_A_QUESTION = wishes(['get', 0.8], ['search', 0.3], ['list', 0.3])
const OF_A_SENTENCE = wishes(['search', 0.25], ['list', 0.3], ['get', 0.3])
const OF_A_REFERENCE = wishes(['get', SURE])
const LONGEST_PHRASE = 6

// Words without a verb that this model knows: a few are something to look for, a sentence may be anything.
function wishesOf({ utterance, memory }: Heard): Wishes {
  if (utterance.wishes.size > 0) return utterance.wishes
  const { tokens } = utterance
  if (referenceIn(tokens, memory)?.isVague === false) return OF_A_REFERENCE
  const first = tokens[0]?.lower ?? ''
  if (/^(what|what's|who|which|tell)$/.test(first)) return OF_A_QUESTION
  return tokens.length <= LONGEST_PHRASE && !/^(can|could|do|does|did|is|are|how|why|when|where|will|may)$/.test(first)
    ? OF_A_PHRASE
    : OF_A_SENTENCE
}
