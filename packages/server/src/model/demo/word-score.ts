import type { FilledInput } from './fill-input.ts'
import type { ToolProfile } from './tool-profile.ts'
import { isContent, type Utterance } from './utterance.ts'
import { ACTIONS_BY_STEM, SYNONYMS } from './vocabulary.ts'

const SYNONYM_SHARE = 0.7
// A word in a name may have lost its usual meaning: the bag of “sleeping bag” is no cart.
const MODIFIED_SYNONYM_SHARE = 0.25
const OBJECT_NAMED = 1.5
const UNEXPLAINED_WORD = 0.6
// What is done must not be done past half of what was said.
const UNEXPLAINED_TO_A_WRITE = 1.5
const MOST_UNEXPLAINED = 4
const FREE_TEXT = 0.5

export type Rarity = (stem: string) => number

/** A word that most tools share tells little about which is meant: from 1 for a word of one tool down towards 0. */
export function rarityAmong(profiles: readonly ToolProfile[]): Rarity {
  const counts = new Map<string, number>()
  for (const { terms } of profiles) {
    for (const [stem, weight] of terms) if (weight >= 1) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  }
  const full = Math.log(1 + profiles.length)
  return (stem) => Math.log(1 + profiles.length / Math.max(1, counts.get(stem) ?? 1)) / full
}

/** How much of what was said is in the tool's own words. */
export function wordScore(profile: ToolProfile, utterance: Utterance, rarity: Rarity): number {
  const scores = new Map<string, number>()
  for (const { place, stem } of wordsAbout(utterance)) {
    const share = isModified(utterance, place) ? MODIFIED_SYNONYM_SHARE : SYNONYM_SHARE
    const score = Math.max(
      (profile.terms.get(stem) ?? 0) * rarity(stem),
      ...(SYNONYMS.get(stem) ?? []).map((other) => share * (profile.terms.get(other) ?? 0) * rarity(other)),
    )
    scores.set(stem, Math.max(scores.get(stem) ?? 0, score))
  }
  const total = [...scores.values()].reduce((sum, score) => sum + score, 0)
  return namesObject(profile, utterance) ? total + OBJECT_NAMED : total
}

function namesObject({ objects }: ToolProfile, utterance: Utterance): boolean {
  return wordsAbout(utterance).some(({ place, stem }) => {
    if (objects.has(stem)) return true
    return !isModified(utterance, place) && (SYNONYMS.get(stem) ?? []).some((other) => objects.has(other))
  })
}

// The verb of a request says what to do, which is weighed elsewhere.
function wordsAbout({ tokens, cues }: Utterance): { place: number; stem: string }[] {
  return tokens.flatMap((token, place) => {
    const isVerb = cues.has(place) && ACTIONS_BY_STEM.has(token.stem)
    return isContent(token) && !isVerb ? [{ place, stem: token.stem }] : []
  })
}

function isModified({ tokens, cues }: Utterance, place: number): boolean {
  const previous = tokens[place - 1]
  return previous !== undefined && isContent(previous) && !cues.has(place - 1)
}

/** Words that a tool neither knows nor takes in speak against it; free text takes in whatever there is. */
export function restScore(profile: ToolProfile, utterance: Utterance, filled: FilledInput): number {
  const unexplained = utterance.tokens.filter((token, place) => {
    if (filled.used.has(place) || utterance.cues.has(place) || !isContent(token)) return false
    return !profile.terms.has(token.stem) && !(SYNONYMS.get(token.stem) ?? []).some((other) => profile.terms.has(other))
  })
  const weight = profile.writes ? UNEXPLAINED_TO_A_WRITE : UNEXPLAINED_WORD
  return (filled.tookRest ? FREE_TEXT : 0) - weight * Math.min(unexplained.length, MOST_UNEXPLAINED)
}
