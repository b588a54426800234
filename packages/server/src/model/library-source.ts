import { abortSignalOf } from './abort-signal.ts'
import type { LanguageModel, StreamPart } from './language-model.ts'
import { toFunctionTools } from './provider-tools.ts'
import type { PartStream, TurnPart, TurnSource } from './turn-source.ts'

/** Turns through a provider's library. */
export function librarySource(languageModel: LanguageModel): TurnSource {
  return {
    async start({ prompt, tools }, signal) {
      const { stream } = await languageModel.doStream({
        prompt,
        includeRawChunks: true,
        abortSignal: abortSignalOf(signal),
        ...toFunctionTools(tools),
      })
      return oneByOne(stream)
    },
  }
}

async function* oneByOne(stream: AsyncIterable<StreamPart>): PartStream {
  for await (const part of stream) {
    if (isTurnPart(part)) yield [part]
  }
}

const TYPES: ReadonlySet<string> = new Set<TurnPart['type']>([
  'raw',
  'text-delta',
  'tool-input-delta',
  'tool-call',
  'finish',
  'error',
])

// A call that the provider makes itself is no call of ours.
function isTurnPart(part: StreamPart): part is Extract<StreamPart, { type: TurnPart['type'] }> {
  return TYPES.has(part.type) && !(part.type === 'tool-call' && part.providerExecuted === true)
}
