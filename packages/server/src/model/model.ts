import type { JsonObject, Message } from '@svc/contract'
import type { StopSignal } from '../lib/stop-signal.ts'

/** A capability as the model gets it. Without a schema it takes no parameters. */
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
  /** Of text and arguments, in UTF-8. Past it the turn ends with the reason `length`, without its calls. None: no limit. */
  maxTextBytes?: number
  /** For the log alone. */
  executionId?: string
}

export interface ModelUsage {
  inputTokens: number
  outputTokens: number
}

export const NO_USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0 }

/** A capability call as the model wrote it, unchecked. `input` is undefined where it was not JSON or was refused. */
export interface ModelCall {
  type: 'tool_call'
  name: string
  input: unknown
  /** Why its input was refused, for the model. */
  problem?: string
}

/** An event of one turn. A stream without an `end` was cut off, and none of its tool calls may be run. */
export type ModelEvent =
  | { type: 'text'; content: string }
  | ModelCall
  | { type: 'end'; reason: 'stop' | 'tool_calls' | 'length'; usage: ModelUsage }

/** Takes an event. Returns a promise where no more should come for now. */
export type TakeEvent = (event: ModelEvent) => Promise<void> | void

/** The port to a model: a transcript and tools in, one turn out. */
export interface Model {
  /** The provider's name as it shows in a runtime's status. */
  readonly provider: string
  readonly name: string
  /**
   * Hands over one turn as it comes, and resolves at its end: an iterator would take several promises for each event.
   * Rejects with a {@link ModelError} and nothing else, but for the abort of `signal` and what `take` throws.
   */
  stream(request: ModelRequest, take: TakeEvent): Promise<void>
}

/** The message of a stream without an `end`. */
export const CUT_OFF = 'The model’s answer was cut off.'

/** A failed model call. Its message is for callers; the provider's own stays in `cause`, for the log. */
export class ModelError extends Error {
  /** Reported by the provider before the failure. */
  readonly usage: ModelUsage

  constructor(message: string, options: { cause?: unknown; usage?: ModelUsage } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ModelError'
    this.usage = options.usage ?? NO_USAGE
  }
}

/** The part of the log that models write to. */
export interface ModelLogger {
  warn(fields: object, message: string): void
}
