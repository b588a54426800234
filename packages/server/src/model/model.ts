import type { JsonObject, Message } from '@svc/contract'
import type { StopSignal } from '../lib/stop-signal.ts'

/** A capability as a tool of the model. `inputSchema` is null where the capability has no parameters. */
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
  /** Of text and call arguments together, in bytes of UTF-8. A turn that exceeds it ends with `length` and loses its calls. */
  maxTextBytes?: number
  /** Only logged. */
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

/** An event of one turn. Without an `end` the turn broke off, and none of its tool calls may be run. */
export type ModelEvent =
  | { type: 'text'; content: string }
  | ModelCall
  | { type: 'end'; reason: 'stop' | 'tool_calls' | 'length'; usage: ModelUsage }

/** Receives an event. A returned promise is backpressure: the next event waits until it has resolved. */
export type EmitEvent = (event: ModelEvent) => Promise<void> | void

/** The port to a model: a transcript and tools in, one turn out. */
export interface Model {
  /** The provider's name as it shows in a runtime's status. */
  readonly provider: string
  readonly name: string
  /**
   * Emits the events of one turn and resolves at its end. Not an iterator, which costs several promises for each event.
   * Rejects with a {@link ModelError}, except on the abort of `signal` and with what `emit` throws.
   */
  stream(request: ModelRequest, emit: EmitEvent): Promise<void>
}

export const CUT_OFF = 'The model’s answer was cut off.'

/** A failed model call. `message` is for callers; `cause` has the provider's message, for the log. */
export class ModelError extends Error {
  /** The tokens that the provider reported before the failure. */
  readonly usage: ModelUsage

  constructor(message: string, options: { cause?: unknown; usage?: ModelUsage } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ModelError'
    this.usage = options.usage ?? NO_USAGE
  }
}

export interface ModelLogger {
  warn(fields: object, message: string): void
}
