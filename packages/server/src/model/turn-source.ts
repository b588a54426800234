import type { StopSignal } from '../lib/stop-signal.ts'
import type { FinishReason, Prompt } from './language-model.ts'
import type { ModelTool } from './model.ts'

/** What a provider is asked. */
export interface TurnCall {
  prompt: Prompt
  tools: readonly ModelTool[]
}

/** What a turn is made of, as far as anybody here asks. `raw` comes before what else the provider's event was read as. */
export type TurnPart =
  | { type: 'raw'; rawValue: unknown }
  | { type: 'text-delta'; delta: string }
  | { type: 'tool-input-delta'; delta: string }
  | { type: 'tool-call'; toolName: string; input: string }
  | { type: 'finish'; finishReason: FinishReason }
  | { type: 'error'; error: unknown }

/** Parts that arrived together come together. */
export type PartStream = AsyncIterable<readonly TurnPart[]>

/** Where the turns of a model come from: a provider's library, or an adapter of our own. */
export interface TurnSource {
  /** Asks for a turn. Rejects with an `APICallError` where the provider refuses or cannot be reached. */
  start(call: TurnCall, signal: StopSignal): Promise<PartStream>
}
