import { type Model, ModelError, type ModelEvent, type ModelLogger, type ModelUsage } from './model.ts'

/**
 * Asks the second model where the first fails before its first event. Has the name of the first. The usage of the failed
 * attempt is added to that of the turn.
 */
export function fallbackModel(first: Model, second: Model, logger?: ModelLogger): Model {
  return {
    provider: first.provider,
    name: first.name,
    async *stream(request) {
      let hasBegun = false
      try {
        for await (const event of first.stream(request)) {
          hasBegun = true
          yield event
        }
      } catch (error) {
        if (hasBegun || request.signal.aborted || !(error instanceof ModelError)) throw error
        const { executionId } = request
        const fields = { executionId, err: error.cause, first: labelOf(first), second: labelOf(second) }
        logger?.warn(fields, 'model fell back')
        yield* withAdded(error.usage, second.stream(request))
      }
    },
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
