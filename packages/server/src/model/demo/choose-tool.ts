import { actionScore } from './action-score.ts'
import { type FilledInput, fillInput } from './fill-input.ts'
import type { Heard } from './heard.ts'
import type { ToolProfile } from './tool-profile.ts'
import { type Rarity, rarityAmong, restScore, wordScore } from './word-score.ts'

/** A tool that may be meant, with its input as far as the words give it. */
export interface Choice {
  profile: ToolProfile
  filled: FilledInput
  score: number
}

const ENOUGH = 1.3
const CERTAIN_FIELD = 1.5
const MISSING_FIELD = 1.4

/** The tool that the words fit best, or null when none fits well enough. */
export function chooseTool(profiles: readonly ToolProfile[], heard: Heard): Choice | null {
  const rarity = rarityAmong(profiles)
  const choices = profiles.map((profile) => judge(profile, heard, rarity))
  const [best] = choices.toSorted((a, b) => b.score - a.score)
  return best !== undefined && best.score >= ENOUGH ? best : null
}

function judge(profile: ToolProfile, heard: Heard, rarity: Rarity): Choice {
  const filled = fillInput(profile, heard)
  const score =
    wordScore(profile, heard.utterance, rarity) +
    actionScore(profile, heard) +
    CERTAIN_FIELD * filled.certain -
    MISSING_FIELD * filled.missing.length +
    restScore(profile, heard.utterance, filled)
  return { profile, filled, score }
}
