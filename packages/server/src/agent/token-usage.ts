import { JsonDocument } from '../lib/json-document.ts'
import type { ModelRequest, ModelUsage } from '../model/model.ts'

const BYTES_PER_TOKEN = 4

/** The tokens of a model call as reported; a count that the provider left out is estimated from the bytes. */
export function tokensOf(
  usage: ModelUsage,
  { instructions, messages, tools }: Pick<ModelRequest, 'instructions' | 'messages' | 'tools'>,
  answerBytes: number,
): number {
  const inputTokens = usage.inputTokens || estimated(JsonDocument.of({ instructions, messages, tools }).bytes)
  return inputTokens + (usage.outputTokens || estimated(answerBytes))
}

function estimated(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

/** Token counts as whole numbers from zero, whatever a provider reports: they are stored and billed. */
export function wholeUsage({ inputTokens, outputTokens }: ModelUsage): ModelUsage {
  return { inputTokens: whole(inputTokens), outputTokens: whole(outputTokens) }
}

function whole(tokens: number): number {
  const rounded = Math.round(tokens)
  return Number.isSafeInteger(rounded) && rounded > 0 ? rounded : 0
}
