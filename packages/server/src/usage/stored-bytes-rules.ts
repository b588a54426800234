import type { Tier } from '@svc/contract'
import { TIERS } from './tiers.ts'

/** The stored bytes of a row: its payloads in UTF-8. Settlement, retention and recount use the same sum. */
export const SQL_BYTES = {
  executions: sumOf('executions', ['message_shape', 'metadata', 'model_steps', 'error', 'calls']),
  deployments: sumOf('deployments', ['manifest']),
  approvals: sumOf('approvals', ['input', 'metadata', 'preview', 'result']),
} as const

function sumOf(table: string, columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(${table}.${column}), 0)`).join(' + ')
}

/** The same of texts before they are stored. */
export function textBytes(texts: readonly (string | null)[]): number {
  let bytes = 0
  for (const text of texts) bytes += text === null ? 0 : Buffer.byteLength(text)
  return bytes
}

/** Whether an account has stored as much as its plan allows. Further payloads are cut; nothing is refused. */
export function isPastBudget(tier: Tier, storedBytes: number): boolean {
  const limit = TIERS[tier].storedBytes
  return limit !== null && storedBytes >= limit
}

/** Whether less than 1 % of the plan is left: larger payloads may be cut already. */
export function isBudgetLow(tier: Tier, storedBytes: number): boolean {
  return isPastBudget(tier, storedBytes / 0.99)
}
