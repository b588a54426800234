import { isJsonObject } from '@svc/contract'
import type { ModelUsage } from './model.ts'

/**
 * Folds one raw event of a provider into what it has reported so far. Reports of one turn are running totals, so the
 * largest counts, and a cut turn is metered by what had arrived.
 */
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

// Anthropic counts what it read from its cache, and what it put there, beside its `input_tokens`.
function inputOf(report: Report): number {
  const cached = count(report, 'cache_creation_input_tokens') + count(report, 'cache_read_input_tokens')
  return count(report, 'prompt_tokens', 'promptTokenCount') || count(report, 'input_tokens') + cached
}

// Google always counts thoughts beside the answer. Of the others xAI does, which its total shows.
function outputOf(report: Report): number {
  if ('promptTokenCount' in report) return count(report, 'candidatesTokenCount') + count(report, 'thoughtsTokenCount')
  const said = count(report, 'completion_tokens', 'output_tokens')
  const details = report['completion_tokens_details']
  const thought = isJsonObject(details) ? count(details, 'reasoning_tokens') : 0
  const total = count(report, 'total_tokens')
  const isBeside = total > 0 ? total >= inputOf(report) + said + thought : thought > said
  return isBeside ? said + thought : said
}

function count(report: Report, ...names: readonly string[]): number {
  for (const name of names) {
    const value = report[name]
    if (typeof value === 'number' && Number.isFinite(value)) return value
  }
  return 0
}
