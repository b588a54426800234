/** What requests are worth where not all can be served, the first to be refused first. Health is never refused. */
export const LOAD_KINDS = ['listing', 'broker', 'execute', 'upkeep', 'health'] as const

export type LoadKind = (typeof LOAD_KINDS)[number]

/** How much of the bound each kind may fill. What is left above a kind's share is kept free for those below it. */
const SHARES: Readonly<Record<LoadKind, number>> = {
  listing: 0.5,
  broker: 0.8,
  execute: 1,
  upkeep: 2,
  health: Number.POSITIVE_INFINITY,
}

const PATHS: readonly (readonly [LoadKind, RegExp])[] = [
  ['health', /^GET \/(health)?$/],
  ['broker', /^POST \/v1\/capabilities\//],
  ['execute', /^POST \/v1\/(runtime\/(execute|capability)|executions)$/],
  ['upkeep', /^POST \/v1\/(runtime\/heartbeat|billing\/webhook)$/],
  ['upkeep', /^POST \/v1\/runtimes\/[^/]+\/(revoke-key|rotate-key|rotate-secret)$/],
  ['upkeep', /^POST \/v1\/account\/keys\/[^/]+\/revoke$/],
]

/** The kind of a request by its path, without a query; a route's pattern is as good. */
export function loadKindOf(method: string, path: string): LoadKind {
  // A preflight is answered as cheaply as it is refused, and a page could not even read the refusal.
  if (method === 'OPTIONS') return 'health'
  const asked = method === 'HEAD' ? 'GET' : method
  const line = `${asked} ${path}`
  for (const [kind, pattern] of PATHS) if (pattern.test(line)) return kind
  return asked === 'GET' ? 'listing' : 'execute'
}

/** Whether one more request of this kind may be held, beside `held` others. */
export function mayHold(kind: LoadKind, held: number, bound: number): boolean {
  return held < bound * SHARES[kind]
}

/** What happened in one stretch of time. */
export interface LoadWindow {
  elapsedMs: number
  /** Requests held, times the milliseconds for which they were. */
  heldMs: number
  /** Requests that were handed on: admitted, answered, or given up. */
  handedOn: number
}

export interface LoadTargets {
  /** How long a request may be held on average. */
  waitMs: number
  minBound: number
  maxBound: number
}

const GROWTH = 1.25

/**
 * How many requests may be held from now on. Where they waited longer than they should, as many as the service hands on in
 * the time that they may wait (Little's law); otherwise a quarter more than before. A few that wait long are no crowd.
 */
export function nextBound(bound: number, window: LoadWindow, { waitMs, minBound, maxBound }: LoadTargets): number {
  const held = window.heldMs / window.elapsedMs
  const waited = window.heldMs / Math.max(1, window.handedOn)
  const isCrowded = held >= minBound / 2 && waited > waitMs
  if (!isCrowded) return Math.min(maxBound, bound * GROWTH)
  const sustained = (window.handedOn / window.elapsedMs) * waitMs
  return Math.max(minBound, Math.min(bound, sustained))
}
