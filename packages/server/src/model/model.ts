import type { JsonObject, Message } from '@svc/contract'
import type { StopSignal } from '../lib/stop-signal.ts'

/** A capability as a model sees it. Without a schema it takes no parameters. */
export interface ModelTool {
  name: string
  description: string
  inputSchema: JsonObject | null
}

export interface ModelRequest {
  instructions: string | null
  messages: readonly Message[]
  tools: readonly ModelTool[]
  signal: StopSignal
  /**
   * What it may say, arguments of its calls included, in bytes of UTF-8: its turn ends there with the reason `length`, and
   * none of its calls is made. As much as it likes without.
   */
  maxTextBytes?: number
  /** For the log alone. */
  executionId?: string
}

export interface ModelUsage {
  inputTokens: number
  outputTokens: number
}

/** What a model call costs that reports nothing. */
export const NO_USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0 }

/** A capability call as the model wrote it, unchecked. `input` is undefined where it was no JSON, or was refused. */
export interface ModelCall {
  type: 'tool_call'
  name: string
  input: unknown
  /** Why its input was refused, as a sentence for the model. */
  problem?: string
}

/**
 * What one turn of a model is made of. `end` is the provider's own terminal event: a stream that stops without one
 * was cut, and none of its tool calls may be run.
 */
export type ModelEvent =
  | { type: 'text'; content: string }
  | ModelCall
  | { type: 'end'; reason: 'stop' | 'tool_calls' | 'length'; usage: ModelUsage }

/** The model behind the agent loop: a transcript and tools in, one turn out. */
export interface Model {
  /** The provider's name as it shows in a runtime's status. */
  readonly provider: string
  readonly name: string
  /** Streams one turn. Throws {@link ModelError} and nothing else, but for the abort of `signal`. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

/** A model call that failed. Its message is fit for a caller; what the provider said stays in `cause`, for the log. */
export class ModelError extends Error {
  /** What the provider had reported when it failed. */
  readonly usage: ModelUsage

  constructor(message: string, options: { cause?: unknown; usage?: ModelUsage } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ModelError'
    this.usage = options.usage ?? NO_USAGE
  }
}
