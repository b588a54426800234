import type { ModelTurn, WatchTurn } from '../agent/run-agent.ts'
import type { Deps } from '../deps.ts'
import { NO_USAGE } from '../model/model.ts'
import { within } from '../telemetry/tracing.ts'
import type { ExecutionScope } from './running.ts'

/** Measures the model calls of one execution; each is a span. */
export function watchTurns(
  { model, clock, metrics }: Pick<Deps, 'model' | 'clock' | 'metrics'>,
  { span, signal }: Pick<ExecutionScope, 'span' | 'signal'>,
): WatchTurn {
  const { provider, name } = model
  const attributes = { 'gen_ai.provider.name': provider, 'gen_ai.request.model': name }
  const hasFailed = (turn: ModelTurn | null) => turn?.ok !== true && !signal.aborted
  return async (speak) => {
    const startedAt = clock.now()
    let turn: ModelTurn | null = null
    try {
      turn = await within(span, 'model call', (call) => counted(speak, call), { attributes, hasFailed })
      return turn
    } finally {
      const { usage } = turn ?? { usage: NO_USAGE }
      const outcome = turn?.ok ? 'completed' : hasFailed(turn) ? 'failed' : 'left'
      metrics.modelCallEnded({ provider, outcome, durationMs: Math.max(0, clock.now() - startedAt), ...usage })
    }
  }
}

async function counted(speak: Parameters<WatchTurn>[0], call: ExecutionScope['span']): Promise<ModelTurn> {
  const turn = await speak()
  const { inputTokens, outputTokens } = turn.usage
  call.add({ 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens })
  return turn
}
