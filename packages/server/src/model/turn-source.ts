import type { LanguageModel as AnyLanguageModel } from 'ai'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { ModelTool } from './model.ts'

/** A model of a provider library. */
export type LanguageModel = Extract<AnyLanguageModel, { specificationVersion: 'v3' }>
type CallOptions = Parameters<LanguageModel['doStream']>[0]
export type Prompt = CallOptions['prompt']
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>
type StreamOf<Result> = Result extends { stream: ReadableStream<infer Part> } ? Part : never
export type StreamPart = StreamOf<Awaited<ReturnType<LanguageModel['doStream']>>>
/** Why a turn ended, as the libraries name it and, in `raw`, as the provider does. */
export type FinishReason = Extract<StreamPart, { type: 'finish' }>['finishReason']

export interface TurnCall {
  prompt: Prompt
  tools: readonly ModelTool[]
}

/** One part of a turn. `raw` is a provider's event and comes before the parts that were read from it. */
export type TurnPart =
  | { type: 'raw'; rawValue: unknown }
  | { type: 'text-delta'; delta: string }
  | { type: 'tool-input-delta'; delta: string }
  | { type: 'tool-call'; toolName: string; input: string }
  | { type: 'finish'; finishReason: FinishReason }
  | { type: 'error'; error: unknown }

/** Takes parts that arrived together. A promise: no more come until it has resolved. False ends the stream early. */
export type TakeParts = (parts: readonly TurnPart[]) => boolean | Promise<boolean>

/** Where the turns of a model come from: a provider library, or our reader of the chat-completions dialect. */
export interface TurnSource {
  /**
   * Asks for a turn and hands over its parts as they arrive. Rejects with an `APICallError` where the provider refuses or
   * cannot be reached, where the stream breaks off, and with what `take` throws.
   */
  read(call: TurnCall, take: TakeParts, signal: StopSignal): Promise<void>
}
