import type { Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'

/**
 * What a row of each table counts of its account's stored bytes: its payloads, in UTF-8. What a settlement adds, retention
 * takes off and a recount finds is the same sum.
 */
export const SQL_BYTES = {
  executions: sumOf('executions', ['message_shape', 'metadata', 'model_steps', 'error', 'calls']),
  deployments: sumOf('deployments', ['manifest']),
} as const

function sumOf(table: string, columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(${table}.${column}), 0)`).join(' + ')
}

/** The same of texts that are still to be stored. */
export function textBytes(texts: readonly (string | null)[]): number {
  let bytes = 0
  for (const text of texts) bytes += text === null ? 0 : Buffer.byteLength(text)
  return bytes
}

/** Whether an account has stored as much as its plan allows. Payloads that would fill it are cut, and nothing is refused. */
export function isPastBudget(tier: Tier, storedBytes: number): boolean {
  const limit = TIERS[tier].storedBytes
  return limit !== null && storedBytes >= limit
}

/** Whether less than a hundredth of what the plan allows is left: larger payloads may be cut already. */
export function isBudgetLow(tier: Tier, storedBytes: number): boolean {
  return isPastBudget(tier, storedBytes / 0.99)
}
