import { type Model, ModelError, type ModelLogger, type ModelUsage, type TakeEvent } from './model.ts'

/**
 * Asks the second model where the first fails before its first event. Has the name of the first. The usage of the failed
 * attempt is added to that of the turn.
 */
export function fallbackModel(first: Model, second: Model, logger?: ModelLogger): Model {
  return {
    provider: first.provider,
    name: first.name,
    async stream(request, take) {
      let hasBegun = false
      try {
        await first.stream(request, (event) => {
          hasBegun = true
          return take(event)
        })
      } catch (error) {
        if (hasBegun || request.signal.aborted || !(error instanceof ModelError)) throw error
        const { executionId } = request
        const fields = { executionId, err: error.cause, first: labelOf(first), second: labelOf(second) }
        logger?.warn(fields, 'model fell back')
        await second.stream(request, adding(error.usage, take)).catch((failure: unknown) => {
          if (!(failure instanceof ModelError)) throw failure
          const usage = sum(error.usage, failure.usage)
          throw new ModelError(failure.message, { cause: failure.cause, usage })
        })
      }
    },
  }
}

function adding(spent: ModelUsage, take: TakeEvent): TakeEvent {
  return (event) => take(event.type === 'end' ? { ...event, usage: sum(spent, event.usage) } : event)
}

function sum(a: ModelUsage, b: ModelUsage): ModelUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens }
}

function labelOf(model: Model): string {
  return `${model.provider}:${model.name}`
}
