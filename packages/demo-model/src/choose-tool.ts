import { type FilledInput, fillInput } from './fill-input.ts'
import { isContent, isInName, type Question } from './read-question.ts'
import type { ToolProfile } from './read-tool.ts'
import { ACTIONS_BY_STEM, type Action, affinity, sameAs, WRITES } from './vocabulary.ts'

/** A tool that may be meant, with its input as far as the question gives it. */
export interface Choice {
  profile: ToolProfile
  filled: FilledInput
  score: number
}

const ENOUGH = 1.3

/** The tool that a question fits best, or null where none fits well enough. */
export function chooseTool(profiles: readonly ToolProfile[], question: Question): Choice | null {
  const choices = profiles.map((profile) => {
    const filled = fillInput(profile, question)
    const inputScore = 1.5 * filled.certain - 1.4 * Math.min(filled.missing.length, 1) - filled.unread.length
    const score = inputScore + actionScore(profile, question) + wordScore(profile, question, filled)
    return { profile, filled, score }
  })
  const [best] = choices.toSorted((a, b) => b.score - a.score)
  return best !== undefined && best.score >= ENOUGH ? best : null
}

// Words that are the tool’s own speak for it; words that it neither knows nor takes in speak against it.
function wordScore({ terms, isWriting }: ToolProfile, question: Question, { used }: FilledInput): number {
  const scores = new Map<string, number>()
  let unknown = 0
  for (const [place, word] of question.words.entries()) {
    const isAsking = question.asking.has(place)
    const actions = ACTIONS_BY_STEM.get(word.stem)
    if (!isContent(word) || (actions && (isAsking || actions.includes('price')))) continue
    // The bag of “sleeping bag” is no cart: within a name, a synonym counts little.
    const share = isInName(question, place) ? 0.25 : 0.7
    const weights = sameAs(word.stem).map((stem) => (terms.get(stem) ?? 0) * (stem === word.stem ? 1 : share))
    scores.set(word.stem, Math.max(...weights))
    if (!used.has(place) && !isAsking && Math.max(...weights) === 0) unknown += 1
  }
  return [...scores.values()].reduce((sum, score) => sum + score, 0) - (isWriting ? 1.5 : 0.6) * Math.min(unknown, 4)
}

type Wish = readonly [Action, number]

// How well a tool does what is wanted. To change something unasked weighs heavily, and so does to leave it undone.
function actionScore({ actions, isWriting, labels }: ToolProfile, question: Question): number {
  // Without a known verb a few words are something to look for, and a sentence may be anything.
  const unsaid = { search: question.words.length <= 6 ? 0.5 : 0.25, list: 0.3, get: 0.3 }
  const wishes = question.wishes.size > 0 ? [...question.wishes] : (Object.entries(unsaid) as Wish[])
  const met = ([wanted, strength]: Wish) => strength * Math.max(...actions.map((action) => affinity(wanted, action)))
  const best = 3 * Math.max(0, ...wishes.map(met))
  const writes = wishes.filter(([wanted]) => WRITES.has(wanted))
  if (isWriting && !writes.some((wish) => met(wish) >= 0.5)) return best - 12
  // To close and to assign are both to update: the verb itself tells them apart.
  if (isWriting)
    return best + Number(question.words.some(({ stem }, place) => question.asking.has(place) && labels.has(stem)))
  const sure = wishes.filter(([, strength]) => strength >= 0.9)
  return sure.length > 0 && sure.every(([wanted]) => WRITES.has(wanted)) ? best - 5 : best
}
