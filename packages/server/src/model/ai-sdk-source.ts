import type { StopSignal } from '../lib/stop-signal.ts'
import { functionTools } from './function-tools.ts'
import type { LanguageModel, StreamPart, TurnPart, TurnSource } from './turn-source.ts'

export function aiSdkSource(languageModel: LanguageModel): TurnSource {
  return {
    async read({ prompt, tools }, emit, signal) {
      const abortSignal = abortSignalOf(signal)
      const options = { prompt, includeRawChunks: true, abortSignal, ...functionTools(tools) }
      const { stream } = await languageModel.doStream(options)
      for await (const part of stream) if (isTurnPart(part) && !(await emit([part]))) return
    },
  }
}

// The AI SDK wants Node's AbortSignal. Elsewhere `Stop` replaces it, because Node's own costs ten times as much.
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

// Tools that the provider runs itself, such as a web search, are no capability calls.
function isTurnPart(part: StreamPart): part is Extract<StreamPart, { type: TurnPart['type'] }> {
  return TYPES.has(part.type) && !(part.type === 'tool-call' && part.providerExecuted === true)
}
