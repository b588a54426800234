import type { Reference } from './memory.ts'
import type { ToolProfile } from './tool-profile.ts'
import type { Utterance } from './utterance.ts'

/** What of an utterance has gone into which field, while a tool's input is being filled. */
export interface Filling {
  utterance: Utterance
  profile: ToolProfile
  reference: Reference | null
  nowMs: number
  /** Words that have found their field. */
  used: Set<number>
}
