import type { ModelUsage } from '../model/model.ts'

/** Token counts as whole numbers from zero: providers report what they like, and what is stored and billed is counted. */
export function wholeUsage(usage: ModelUsage): ModelUsage {
  return { inputTokens: whole(usage.inputTokens), outputTokens: whole(usage.outputTokens) }
}

function whole(tokens: number): number {
  const rounded = Math.round(tokens)
  return Number.isSafeInteger(rounded) && rounded > 0 ? rounded : 0
}
