import type { Deps } from '../deps.ts'
import { type Model, ModelError, type ModelEvent, type ModelRequest, NO_USAGE } from '../model/model.ts'
import type { Span } from '../tracing/tracing.ts'

interface Watch {
  executionId: string
  span: Span
}

/** The model as one execution calls it: each call is measured, is a span, and names the execution in the model's own log. */
export function watchedModel(deps: Pick<Deps, 'model' | 'clock' | 'metrics'>, watch: Watch): Model {
  const { model } = deps
  return {
    provider: model.provider,
    name: model.name,
    stream: (request) => watched(deps, watch, { ...request, executionId: watch.executionId }),
  }
}

async function* watched(
  { model, clock, metrics }: Pick<Deps, 'model' | 'clock' | 'metrics'>,
  { span }: Watch,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const { provider, name } = model
  const call = span.begin('model call', { 'gen_ai.provider.name': provider, 'gen_ai.request.model': name })
  const startedAt = clock.now()
  // A loop that is left in the middle comes back to `finally` alone.
  let outcome: 'completed' | 'failed' | 'left' = 'left'
  let usage = NO_USAGE
  try {
    for await (const event of model.stream(request)) {
      if (event.type === 'end') {
        outcome = 'completed'
        usage = event.usage
      }
      yield event
    }
    if (outcome === 'left') outcome = 'failed'
  } catch (error) {
    if (!request.signal.aborted) outcome = 'failed'
    if (error instanceof ModelError) usage = error.usage
    throw error
  } finally {
    const { inputTokens, outputTokens } = usage
    metrics.modelCallEnded({ provider, outcome, durationMs: Math.max(0, clock.now() - startedAt), ...usage })
    call.add({ 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens })
    call.end(outcome === 'failed' ? 'failed' : 'ok')
  }
}
