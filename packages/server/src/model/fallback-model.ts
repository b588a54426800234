import { type Model, ModelError, type ModelEvent, type ModelRequest, type ModelUsage } from './model.ts'
import type { ModelLogger } from './model-logger.ts'

/**
 * A model with a second one behind it, which answers where the first fails before it has said anything. Shows itself
 * as the first. What the failed attempt cost is added to the usage of the turn.
 */
export function fallbackModel(first: Model, second: Model, logger?: ModelLogger): Model {
  return {
    provider: first.provider,
    name: first.name,
    async *stream(request) {
      const failure = yield* untilFailure(first, request)
      if (failure === null) return
      const { executionId } = request
      logger?.warn(
        { executionId, err: failure.cause, first: labelOf(first), second: labelOf(second) },
        'model fell back',
      )
      yield* withAdded(failure.usage, second.stream(request))
    },
  }
}

// Returns the failure that the second model can make good, or null when the turn is over.
async function* untilFailure(model: Model, request: ModelRequest): AsyncGenerator<ModelEvent, ModelError | null> {
  let begun = false
  try {
    for await (const event of model.stream(request)) {
      begun = true
      yield event
    }
    return null
  } catch (error) {
    if (begun || request.signal.aborted || !(error instanceof ModelError)) throw error
    return error
  }
}

async function* withAdded(spent: ModelUsage, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  try {
    for await (const event of events) {
      yield event.type === 'end' ? { ...event, usage: sum(spent, event.usage) } : event
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    throw new ModelError(error.message, { cause: error.cause, usage: sum(spent, error.usage) })
  }
}

function sum(a: ModelUsage, b: ModelUsage): ModelUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens }
}

function labelOf(model: Model): string {
  return `${model.provider}:${model.name}`
}
