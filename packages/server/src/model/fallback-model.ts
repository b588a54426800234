import { type EmitEvent, type Model, ModelError, type ModelLogger, type ModelUsage } from './model.ts'

/**
 * Asks the second model where the first fails before its first event. Provider and name stay those of the first. The
 * failed attempt's usage is added to the turn's.
 */
export function fallbackModel(first: Model, second: Model, logger?: ModelLogger): Model {
  return {
    provider: first.provider,
    name: first.name,
    async stream(request, emit) {
      let hasBegun = false
      try {
        await first.stream(request, (event) => {
          hasBegun = true
          return emit(event)
        })
      } catch (error) {
        if (hasBegun || request.signal.aborted || !(error instanceof ModelError)) throw error
        const { executionId } = request
        const fields = { executionId, err: error.cause, first: labelOf(first), second: labelOf(second) }
        logger?.warn(fields, 'model fell back')
        await second.stream(request, withUsageAdded(error.usage, emit)).catch((failure: unknown) => {
          if (!(failure instanceof ModelError)) throw failure
          const usage = sum(error.usage, failure.usage)
          throw new ModelError(failure.message, { cause: failure.cause, usage })
        })
      }
    },
  }
}

function withUsageAdded(spent: ModelUsage, emit: EmitEvent): EmitEvent {
  return (event) => emit(event.type === 'end' ? { ...event, usage: sum(spent, event.usage) } : event)
}

function sum(a: ModelUsage, b: ModelUsage): ModelUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens }
}

function labelOf(model: Model): string {
  return `${model.provider}:${model.name}`
}
