import type { LanguageModel as AnyLanguageModel } from 'ai'

/** A provider's model as its library hands it out. It is asked for its stream of parts without anything in between. */
export type LanguageModel = Extract<AnyLanguageModel, { specificationVersion: 'v3' }>

type CallOptions = Parameters<LanguageModel['doStream']>[0]
export type Prompt = CallOptions['prompt']
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>
type Started = Awaited<ReturnType<LanguageModel['doStream']>>
type PartOf<Stream> = Stream extends ReadableStream<infer Part> ? Part : never
/** What a stream of a turn is made of. */
export type StreamPart = PartOf<Started['stream']>
/** Why a turn ended: in the libraries' words, and in the provider's own where it said so. */
export type FinishReason = Extract<StreamPart, { type: 'finish' }>['finishReason']
