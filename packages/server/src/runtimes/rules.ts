import { type ConnectionStatus, isLocalHost, type Tier } from '@svc/contract'
import { TIERS } from '../usage/tiers.ts'

/** A runtime counts as online this long after it was last heard from. */
export const ONLINE_WINDOW_MS = 5 * 60_000

/** How often a check-in or a successful dispatch is noted as a sign of life; more often would only cost writes. */
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

/** Why an endpoint is refused that leads to the service itself, at one of `ownUrls`; null for every other one. */
export function ownAddressProblem(endpoint: string, ownUrls: readonly string[]): string | null {
  const url = new URL(endpoint)
  const isOwn = ownUrls.some((own) => isWithin(url, new URL(own)))
  return isOwn ? 'must not be an address of this service: capabilities run on a server of their owner’s.' : null
}

function isWithin(url: URL, own: URL): boolean {
  const path = own.pathname.replace(/\/$/, '')
  return placeOf(url) === placeOf(own) && `${url.pathname}/`.startsWith(`${path}/`)
}

// A port answers one protocol, so the protocol does not matter.
function placeOf({ hostname, port, protocol }: URL): string {
  const host = isLocalHost(hostname) ? 'localhost' : hostname.replace(/\.$/, '')
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`
}
