import type { ConnectionStatus, Tier } from '@svc/contract'
import { TIERS } from '../usage/tiers.ts'

/** A runtime counts as online this long after it was last heard from. */
export const ONLINE_WINDOW_MS = 5 * 60_000

/** How often a successful dispatch is noted as a sign of life; more often would only cost writes. */
export const SIGN_OF_LIFE_INTERVAL_MS = 10_000

export function connectionStatus(lastSeenAt: number | null, now: number): ConnectionStatus {
  if (lastSeenAt === null) return 'pending'
  return now - lastSeenAt < ONLINE_WINDOW_MS ? 'online' : 'offline'
}

/** Why one more runtime is too many under this plan, or null when it is not. */
export function ceilingProblem(tier: Tier, runtimeCount: number): string | null {
  const ceiling = TIERS[tier].runtimes
  if (ceiling === null || runtimeCount < ceiling) return null
  const held = ceiling === 1 ? '1 runtime' : `${ceiling} runtimes`
  return `The ${tier} plan allows ${held}. Register an existing one again by its runtimeId, or upgrade the plan.`
}
