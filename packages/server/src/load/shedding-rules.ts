/** What requests are worth where not all can be served, the first to be refused first. Health is never refused. */
export const LOAD_KINDS = ['listing', 'public', 'broker', 'execute', 'upkeep', 'health'] as const

export type LoadKind = (typeof LOAD_KINDS)[number]

/** Where requests are counted: what one of them holds takes nothing away from another. */
export type LoadPool = 'common' | 'upkeep' | 'health'

/**
 * How much of the bound each kind may fill, in its pool. What is left above a kind's share is kept free for those below
 * it. Upkeep has a reserve: it gets through where executes are many, and whoever makes up check-ins keeps no execute out.
 */
const SHARES: Readonly<Record<LoadKind, readonly [LoadPool, number]>> = {
  listing: ['common', 0.5],
  public: ['common', 0.8],
  broker: ['common', 0.8],
  execute: ['common', 1],
  upkeep: ['upkeep', 0.25],
  health: ['health', Number.POSITIVE_INFINITY],
}

const PATHS: readonly (readonly [LoadKind, RegExp])[] = [
  ['health', /^GET \/(health)?$/],
  // What others load to begin with: without it a customer’s page has no chat, and an agent no address.
  ['public', /^GET \/(widget\.js|v1\/runtime\/[^/]+\/manifest)$/],
  ['broker', /^POST \/v1\/capabilities\//],
  ['execute', /^POST \/v1\/(runtime\/(execute|capability)|executions)$/],
  ['upkeep', /^POST \/v1\/(runtime\/heartbeat|billing\/webhook)$/],
  ['upkeep', /^POST \/v1\/runtimes\/[^/]+\/(revoke-key|rotate-key|rotate-secret)$/],
  ['upkeep', /^POST \/v1\/account\/keys\/[^/]+\/revoke$/],
]

// What the router decodes, or cuts off, before it finds a route: such a path could be that of any kind.
const UNPLAIN = /^[^/]|[%#]/

/**
 * The kind of a request by its path, without a query; a route's pattern is as good. Where the path does not tell, the one
 * that is refused first of those that its method can have.
 */
export function loadKindOf(method: string, path: string): LoadKind {
  // A preflight is answered as cheaply as it is refused, and a page could not even read the refusal.
  if (method === 'OPTIONS') return 'health'
  const asked = method === 'HEAD' ? 'GET' : method
  if (!isPlainPath(path)) return asked === 'GET' ? 'listing' : asked === 'POST' ? 'broker' : 'execute'
  const line = `${asked} ${path}`
  for (const [kind, pattern] of PATHS) if (pattern.test(line)) return kind
  return asked === 'GET' ? 'listing' : 'execute'
}

/** Whether a path is the router's, letter by letter. */
export function isPlainPath(path: string): boolean {
  return !UNPLAIN.test(path)
}

export function poolOf(kind: LoadKind): LoadPool {
  return SHARES[kind][0]
}

/** How much each kind may take of what its pool has. */
export function shareOf(kind: LoadKind): number {
  return SHARES[kind][1]
}

/** Whether one more request of this kind may be held, beside `held` others of its pool. */
export function mayHold(kind: LoadKind, held: number, bound: number): boolean {
  return held < bound * shareOf(kind)
}
