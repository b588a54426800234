import type { StopSignal } from '../lib/stop-signal.ts'
import { functionTools } from './function-tools.ts'
import type { LanguageModel, StreamPart, TurnPart, TurnSource } from './turn-source.ts'

/** Turns through a provider library. */
export function librarySource(languageModel: LanguageModel): TurnSource {
  return {
    async read({ prompt, tools }, take, signal) {
      const abortSignal = abortSignalOf(signal)
      const options = { prompt, includeRawChunks: true, abortSignal, ...functionTools(tools) }
      const { stream } = await languageModel.doStream(options)
      for await (const part of stream) if (isTurnPart(part) && !(await take([part]))) return
    },
  }
}

// An `AbortController` is too expensive for the signals of every call.
function abortSignalOf(stop: StopSignal): AbortSignal {
  const controller = new AbortController()
  if (stop.aborted) controller.abort()
  else stop.addEventListener('abort', () => controller.abort())
  return controller.signal
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
