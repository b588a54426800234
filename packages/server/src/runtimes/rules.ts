import { type ConnectionStatus, type Frozen, isLocalHost, type Tier } from '@svc/contract'
import { isoTime } from '../lib/clock.ts'
import { TIERS } from '../usage/tiers.ts'

/** A runtime is online this long after its last check-in, successful call or probe (`last_seen_at`). */
export const ONLINE_WINDOW_MS = 5 * 60_000

/** `last_seen_at` is written at most once in this time. */
export const LAST_SEEN_INTERVAL_MS = 10_000

export function connectionStatus(lastSeenAt: number | null, now: number): ConnectionStatus {
  if (lastSeenAt === null) return 'pending'
  return now - lastSeenAt < ONLINE_WINDOW_MS ? 'online' : 'offline'
}

/** Why and when a candidate was stopped; null where it was not. */
export function frozenOf(row: { frozen_reason: string | null; frozen_at: number | null }): Frozen | null {
  const { frozen_reason: reason, frozen_at: at } = row
  return reason === null || at === null ? null : { reason, at: isoTime(at) }
}

/** The message of the 403 for one more runtime under this plan, or null where it is allowed. */
export function planLimitProblem(tier: Tier, runtimeCount: number): string | null {
  const ceiling = TIERS[tier].runtimes
  if (ceiling === null || runtimeCount < ceiling) return null
  const held = ceiling === 1 ? '1 runtime' : `${ceiling} runtimes`
  return `The ${tier} plan allows ${held}. Register an existing one again by its runtimeId, or upgrade the plan.`
}

/** The refusal of an endpoint within one of `ownUrls`, the service's own addresses; null for any other. */
export function ownAddressProblem(endpoint: string, ownUrls: readonly string[]): string | null {
  const url = new URL(endpoint)
  const isOwn = ownUrls.some((own) => isBelow(url, new URL(own)))
  return isOwn ? 'must not be an address of this service: name a server of your own.' : null
}

function isBelow(url: URL, own: URL): boolean {
  const path = own.pathname.replace(/\/$/, '')
  return hostAndPort(url) === hostAndPort(own) && `${url.pathname}/`.startsWith(`${path}/`)
}

// A port answers one protocol, so the protocol does not matter.
function hostAndPort({ hostname, port, protocol }: URL): string {
  const host = isLocalHost(hostname) ? 'localhost' : hostname.replace(/\.$/, '')
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`
}
