import { endpointProblem, type Health } from '@svc/contract'
import type { Secret } from '../secrets/secret.ts'
import { Circuit } from './circuit.ts'
import { type CallFailure, FAILURES, type Transport } from './failures.ts'

const RECENT_CALLS = 20
const MEMORY_MS = 15 * 60_000
const DEGRADED_SHARE = 1 / 5

/** Where requests go: the origin that connections are pooled by, and the path with its query. */
export interface Address {
  readonly origin: string
  readonly path: string
}

/** What is remembered of one runtime's endpoint. */
export interface Lane {
  readonly endpoint: string
  /** Null where the address is not one that may be called. */
  readonly address: Address | null
  readonly circuit: Circuit
  /** How the last calls went, oldest first. */
  readonly recent: { at: number; hasFailed: boolean }[]
  underWay: number
  usedAt: number
  /** The secret that the endpoint last answered to. */
  workedSecret: Secret | null
}

/** Leave to make one call; `leave` is called once, with what the call said about the connection. */
export interface Pass {
  readonly lane: Lane
  readonly address: Address
  leave(transport: Transport, now: number): void
}

/** A runtime at the address that it has now. */
export interface Endpoint {
  runtimeId: string
  endpoint: string
}

/** One lane per runtime, in the order of their last use. A lane that nobody used for a quarter of an hour is dropped. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #callsAtOnce: number
  readonly #maxLanes: number

  constructor({ callsAtOnce = 50, maxLanes = 10_000 } = {}) {
    this.#callsAtOnce = callsAtOnce
    this.#maxLanes = maxLanes
  }

  get size(): number {
    return this.#lanes.size
  }

  /** A pass, or why there is none. */
  enter(target: Endpoint, now: number): Pass | CallFailure {
    const lane = this.#laneOf(target, now)
    const { address } = lane
    if (address === null) return FAILURES.refusedAddress
    if (lane.underWay >= this.#callsAtOnce) return FAILURES.busy
    const circuitPass = lane.circuit.enter(now)
    if (!circuitPass) return FAILURES.paused
    lane.underWay += 1
    return {
      lane,
      address,
      leave(transport, at) {
        lane.underWay -= 1
        lane.circuit.end(circuitPass, transport, at)
        if (transport !== 'unknown') remember(lane, transport === 'failed', at)
      },
    }
  }

  /** How many endpoints are paused. */
  openCircuits(): number {
    let open = 0
    for (const { circuit } of this.#lanes.values()) if (circuit.isOpen) open += 1
    return open
  }

  healthOf({ runtimeId, endpoint }: Endpoint, now: number): Health {
    const lane = this.#lanes.get(runtimeId)
    if (lane?.endpoint !== endpoint) return 'healthy'
    if (lane.circuit.isOpen) return 'unreachable'
    const recent = lane.recent.filter((call) => call.at > now - MEMORY_MS)
    const failures = recent.filter((call) => call.hasFailed).length
    return failures > 0 && failures >= recent.length * DEGRADED_SHARE ? 'degraded' : 'healthy'
  }

  // A runtime with a new endpoint begins anew: what the old address did says nothing about it.
  #laneOf({ runtimeId, endpoint }: Endpoint, now: number): Lane {
    const known = this.#lanes.get(runtimeId)
    const lane = known?.endpoint === endpoint ? known : newLane(endpoint)
    lane.usedAt = now
    this.#lanes.delete(runtimeId)
    this.#lanes.set(runtimeId, lane)
    if (lane !== known) this.#dropUnused(now)
    return lane
  }

  #dropUnused(now: number): void {
    for (const [runtimeId, lane] of this.#lanes) {
      const isFull = this.#lanes.size > this.#maxLanes
      if (!isFull && lane.usedAt > now - MEMORY_MS) return
      if (lane.underWay === 0 && lane.usedAt !== now) this.#lanes.delete(runtimeId)
    }
  }
}

function newLane(endpoint: string): Lane {
  return {
    endpoint,
    address: addressOf(endpoint),
    circuit: new Circuit(),
    recent: [],
    underWay: 0,
    usedAt: 0,
    workedSecret: null,
  }
}

// Checked at registration too; here because this is the way that the signature and the end user's token would leave.
function addressOf(endpoint: string): Address | null {
  if (endpointProblem(endpoint) !== null) return null
  const { origin, pathname, search } = new URL(endpoint)
  return { origin, path: pathname + search }
}

function remember(lane: Lane, hasFailed: boolean, at: number): void {
  lane.recent.push({ at, hasFailed })
  if (lane.recent.length > RECENT_CALLS) lane.recent.shift()
}
