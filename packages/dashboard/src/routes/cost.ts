import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api/client.ts'
import { usageQuery } from '../api/queries.ts'

export type ModelPrices = Schemas['ModelPrices']

/** What the operator pays for tokens; null where no prices are configured. */
export function usePrices(): ModelPrices | null {
  return useQuery(usageQuery).data?.modelPrices ?? null
}

/** In US dollars. */
export function costOf(tokens: { inputTokens: number; outputTokens: number }, prices: ModelPrices): number {
  const { inputPerMillion, outputPerMillion } = prices
  return (tokens.inputTokens * inputPerMillion + tokens.outputTokens * outputPerMillion) / 1e6
}
