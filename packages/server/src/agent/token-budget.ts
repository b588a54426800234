import { jsonBytes } from '../lib/json-bytes.ts'
import type { ModelRequest, ModelUsage } from '../model/model.ts'

const BYTES_PER_TOKEN = 4

/**
 * What a model call counts for, in tokens: as reported, and estimated from the bytes of prompt and answer where a provider
 * reports none.
 */
export function tokensOf(
  usage: ModelUsage,
  prompt: Pick<ModelRequest, 'instructions' | 'messages' | 'tools'>,
  answerBytes: number,
): number {
  const { instructions, messages, tools } = prompt
  const inputTokens = usage.inputTokens || estimated(jsonBytes({ instructions, messages, tools }))
  return inputTokens + (usage.outputTokens || estimated(answerBytes))
}

function estimated(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}
