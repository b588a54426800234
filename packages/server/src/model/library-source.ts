import { abortSignalOf } from './chat-completions/post.ts'
import { functionTools } from './function-tools.ts'
import type { LanguageModel, PartStream, StreamPart, TurnPart, TurnSource } from './turn-source.ts'

/** Turns through a provider library. */
export function librarySource(languageModel: LanguageModel): TurnSource {
  return {
    async start({ prompt, tools }, signal) {
      const abortSignal = abortSignalOf(signal)
      const options = { prompt, includeRawChunks: true, abortSignal, ...functionTools(tools) }
      const { stream } = await languageModel.doStream(options)
      return turnParts(stream)
    },
  }
}

async function* turnParts(stream: AsyncIterable<StreamPart>): PartStream {
  for await (const part of stream) if (isTurnPart(part)) yield [part]
}

const TYPES: ReadonlySet<string> = new Set<TurnPart['type']>([
  'raw',
  'text-delta',
  'tool-input-delta',
  'tool-call',
  'finish',
  'error',
])

// A call that the provider runs itself is none of ours.
function isTurnPart(part: StreamPart): part is Extract<StreamPart, { type: TurnPart['type'] }> {
  return TYPES.has(part.type) && !(part.type === 'tool-call' && part.providerExecuted === true)
}
