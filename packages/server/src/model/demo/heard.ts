import type { Memory } from './memory.ts'
import type { Utterance } from './utterance.ts'

/** What there is to go by: what was said, what the talk was about, and when it is said. */
export interface Heard {
  utterance: Utterance
  memory: Memory
  nowMs: number
}
