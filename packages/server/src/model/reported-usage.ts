import { isJsonObject } from '@svc/contract'
import type { ModelUsage } from './model.ts'

/** Folds one raw event of a provider into what it has reported so far, so that a cut stream can still be metered. */
export function withReported(usage: ModelUsage, event: unknown): ModelUsage {
  const report = reportIn(event)
  if (report === null) return usage
  return {
    inputTokens: Math.max(usage.inputTokens, count(report, ['prompt_tokens', 'input_tokens', 'promptTokenCount'])),
    outputTokens: Math.max(
      usage.outputTokens,
      count(report, ['completion_tokens', 'output_tokens', 'candidatesTokenCount']),
    ),
  }
}

// OpenAI and compatible: `usage`; Anthropic: `message.usage` at the start, `usage` later; Google: `usageMetadata`.
function reportIn(event: unknown): Record<string, unknown> | null {
  if (!isJsonObject(event)) return null
  const message = isJsonObject(event['message']) ? event['message'] : {}
  const report = event['usage'] ?? event['usageMetadata'] ?? message['usage']
  return isJsonObject(report) ? report : null
}

function count(report: Record<string, unknown>, names: readonly string[]): number {
  for (const name of names) {
    const value = report[name]
    if (typeof value === 'number' && Number.isFinite(value)) return value
  }
  return 0
}
