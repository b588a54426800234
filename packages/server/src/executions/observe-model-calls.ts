import type { ModelTurn, ObserveModelCall } from '../agent/run-agent.ts'
import { NO_USAGE } from '../model/model.ts'
import { within } from '../telemetry/tracing.ts'
import type { ExecutionDeps } from './deps.ts'
import type { ExecutionScope } from './running.ts'

/** Makes a span of each model call of an execution, and counts it. */
export function observeModelCalls(
  { model, clock, metrics }: Pick<ExecutionDeps, 'model' | 'clock' | 'metrics'>,
  { span, signal }: Pick<ExecutionScope, 'span' | 'signal'>,
): ObserveModelCall {
  const { provider, name } = model
  const attributes = { 'gen_ai.provider.name': provider, 'gen_ai.request.model': name }
  const hasFailed = (turn: ModelTurn | null) => turn?.ok !== true && !signal.aborted
  return async (callModel) => {
    const startedAt = clock.now()
    let turn: ModelTurn | null = null
    const callInSpan = async (own: ExecutionScope['span']) => {
      const made = await callModel()
      const { inputTokens, outputTokens } = made.usage
      own.add({ 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens })
      return made
    }
    try {
      turn = await within(span, 'model call', callInSpan, { attributes, hasFailed })
      return turn
    } finally {
      const { usage } = turn ?? { usage: NO_USAGE }
      const outcome = turn?.ok ? 'completed' : hasFailed(turn) ? 'failed' : 'left'
      metrics.modelCallEnded({ provider, outcome, durationMs: Math.max(0, clock.now() - startedAt), ...usage })
    }
  }
}
