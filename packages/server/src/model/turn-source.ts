import type { LanguageModel as AnyLanguageModel } from 'ai'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { ModelTool } from './model.ts'

export type LanguageModel = Extract<AnyLanguageModel, { specificationVersion: 'v3' }>
type CallOptions = Parameters<LanguageModel['doStream']>[0]
export type Prompt = CallOptions['prompt']
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>
type StreamOf<Result> = Result extends { stream: ReadableStream<infer Part> } ? Part : never
export type StreamPart = StreamOf<Awaited<ReturnType<LanguageModel['doStream']>>>
/** Why a turn ended: `unified` in the AI SDK's words, `raw` in the provider's. */
export type FinishReason = Extract<StreamPart, { type: 'finish' }>['finishReason']

export interface TurnCall {
  prompt: Prompt
  tools: readonly ModelTool[]
}

/**
 * One part of a provider's stream, in the AI SDK's terms; {@link Turn} makes model events of them. A `raw` part holds the
 * provider's event, and precedes the parts that were read from that event.
 */
export type TurnPart =
  | { type: 'raw'; rawValue: unknown }
  | { type: 'text-delta'; delta: string }
  | { type: 'tool-input-delta'; delta: string }
  | { type: 'tool-call'; toolName: string; input: string }
  | { type: 'finish'; finishReason: FinishReason }
  | { type: 'error'; error: unknown }

/** Receives parts that arrived together. A promise is backpressure, as of `EmitEvent`. False ends the stream early. */
export type EmitParts = (parts: readonly TurnPart[]) => boolean | Promise<boolean>

/** A client of a provider's API: the AI SDK's, or ours for the chat-completions dialect. */
export interface TurnSource {
  /**
   * Requests a turn and emits its parts as they arrive. Rejects with an `APICallError` where the provider refuses or cannot
   * be reached, and with other errors where the stream breaks off or `emit` throws.
   */
  read(call: TurnCall, emit: EmitParts, signal: StopSignal): Promise<void>
}
