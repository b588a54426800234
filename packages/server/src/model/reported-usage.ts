import { isJsonObject } from '@svc/contract'
import type { ModelUsage } from './model.ts'

/**
 * Merges the usage that an event reports. Reports are running totals, so the largest counts. OpenAI and compatible:
 * `usage`, Groq also `x_groq.usage`, Moonshot `choices[0].usage`; Anthropic: `message.usage` at the start, `usage` later;
 * Google: `usageMetadata`.
 */
export function mergeReportedUsage(usage: ModelUsage, event: unknown): ModelUsage {
  let { inputTokens, outputTokens } = usage
  if (!isJsonObject(event)) return usage
  const choices = event['choices']
  for (const holder of [event, event['message'], event['x_groq'], Array.isArray(choices) ? choices[0] : null]) {
    if (!isJsonObject(holder)) continue
    for (const report of [holder['usage'], holder['usageMetadata']]) {
      if (!isJsonObject(report)) continue
      inputTokens = Math.max(inputTokens, inputOf(report))
      outputTokens = Math.max(outputTokens, outputOf(report))
    }
  }
  return { inputTokens, outputTokens }
}

type Report = Record<string, unknown>

// Anthropic's `input_tokens` leave out the tokens of its cache.
function inputOf(report: Report): number {
  const cached = count(report, 'cache_creation_input_tokens') + count(report, 'cache_read_input_tokens')
  return count(report, 'prompt_tokens', 'promptTokenCount') || count(report, 'input_tokens') + cached
}

// Google and xAI leave reasoning out of the answer's tokens; xAI's shows in `total_tokens`.
function outputOf(report: Report): number {
  if ('promptTokenCount' in report) return count(report, 'candidatesTokenCount') + count(report, 'thoughtsTokenCount')
  const text = count(report, 'completion_tokens', 'output_tokens')
  const details = report['completion_tokens_details']
  const reasoning = isJsonObject(details) ? count(details, 'reasoning_tokens') : 0
  const total = count(report, 'total_tokens')
  const isReasoningExtra = total > 0 ? total >= inputOf(report) + text + reasoning : reasoning > text
  return isReasoningExtra ? text + reasoning : text
}

function count(report: Report, ...names: readonly string[]): number {
  for (const name of names) {
    const value = report[name]
    if (typeof value === 'number' && Number.isFinite(value)) return value
  }
  return 0
}
