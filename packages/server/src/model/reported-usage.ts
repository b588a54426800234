import { isJsonObject } from '@svc/contract'
import type { ModelUsage } from './model.ts'

/** Adds the reports in one event to those before. Reports are running totals, so the largest counts. */
export function withReported(usage: ModelUsage, event: unknown): ModelUsage {
  return reportsIn(event).reduce<ModelUsage>(
    ({ inputTokens, outputTokens }, report) => ({
      inputTokens: Math.max(inputTokens, inputOf(report)),
      outputTokens: Math.max(outputTokens, outputOf(report)),
    }),
    usage,
  )
}

type Report = Record<string, unknown>

// OpenAI and compatible: `usage`, Groq also `x_groq.usage`, Moonshot `choices[0].usage`; Anthropic: `message.usage` at the
// start, `usage` later; Google: `usageMetadata`.
function reportsIn(event: unknown): Report[] {
  if (!isJsonObject(event)) return []
  const choices = event['choices']
  const holders: unknown[] = [event, event['message'], event['x_groq'], Array.isArray(choices) ? choices[0] : undefined]
  return holders
    .filter(isJsonObject)
    .flatMap((holder) => [holder['usage'], holder['usageMetadata']])
    .filter(isJsonObject)
}

// Anthropic counts tokens of its cache beside `input_tokens`.
function inputOf(report: Report): number {
  const cached = count(report, 'cache_creation_input_tokens') + count(report, 'cache_read_input_tokens')
  return count(report, 'prompt_tokens', 'promptTokenCount') || count(report, 'input_tokens') + cached
}

// Google counts reasoning beside the answer. So does xAI, which its total shows.
function outputOf(report: Report): number {
  if ('promptTokenCount' in report) return count(report, 'candidatesTokenCount') + count(report, 'thoughtsTokenCount')
  const text = count(report, 'completion_tokens', 'output_tokens')
  const details = report['completion_tokens_details']
  const reasoning = isJsonObject(details) ? count(details, 'reasoning_tokens') : 0
  const total = count(report, 'total_tokens')
  const isBeside = total > 0 ? total >= inputOf(report) + text + reasoning : reasoning > text
  return isBeside ? text + reasoning : text
}

function count(report: Report, ...names: readonly string[]): number {
  for (const name of names) {
    const value = report[name]
    if (typeof value === 'number' && Number.isFinite(value)) return value
  }
  return 0
}
