import type { CommandFailure } from '../failures.ts'
import type { Credential } from './answer.ts'
import { keyNotAccepted } from './faults.ts'

/** The client of a control plane: its address and its key. */
export type Caller = {
  readonly baseUrl: string
  /** The key that is sent along; null for what anybody may ask. */
  readonly bearer: string | null
  /** What to say where the key is not accepted; absent where the refusal is the caller’s to word. */
  readonly notAccepted?: () => CommandFailure
}

/** The runtime itself, by its deploy key. */
export function runtimeCaller(who: Credential): Caller {
  return { baseUrl: who.baseUrl, bearer: who.apiKey, notAccepted: () => keyNotAccepted(who) }
}
