import { type EmitEvent, type Model, ModelError, type ModelLogger, type ModelUsage } from './model.ts'

/** Asks the second model where the first fails before its first event. The failed attempt's usage is added. */
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
        const emitSum: EmitEvent = (event) =>
          emit(event.type === 'end' ? { ...event, usage: sum(error.usage, event.usage) } : event)
        await second.stream(request, emitSum).catch((failure: unknown) => {
          if (!(failure instanceof ModelError)) throw failure
          const usage = sum(error.usage, failure.usage)
          throw new ModelError(failure.message, { cause: failure.cause, usage })
        })
      }
    },
  }
}

function sum(a: ModelUsage, b: ModelUsage): ModelUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens }
}

function labelOf(model: Model): string {
  return `${model.provider}:${model.name}`
}
