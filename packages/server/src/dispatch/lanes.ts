import { endpointProblem, type Health } from '@svc/contract'
import type { Secret } from '../secrets/secret.ts'
import { Circuit, type CircuitPass } from './circuit.ts'
import { type CallFailure, FAILURES } from './failures.ts'
import { type EndedCall, endedCall, explainHealth, judgeHealth } from './health.ts'

const RECENT_CALLS = 20
const MEMORY_MS = 15 * 60_000
const SILENCE_MS = 60_000
const PROBE_EVERY_MS = 30_000

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
  readonly recent: EndedCall[]
  underWay: number
  usedAt: number
  answeredAt: number
  probedAt: number
  /** The secret that the endpoint last answered to. */
  workedSecret: Secret | null
}

/** Leave to make one call. */
export interface Pass {
  readonly lane: Lane
  readonly address: Address
  readonly circuit: CircuitPass
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
    const circuit = lane.circuit.enter(now)
    if (!circuit) return FAILURES.paused
    lane.underWay += 1
    return { lane, address, circuit }
  }

  /** To be called once for each pass, with the failure of its call, if it failed. */
  leave({ lane, circuit }: Pass, failure: CallFailure | null, at: number): void {
    const transport = failure?.transport ?? 'worked'
    lane.underWay -= 1
    lane.circuit.end(circuit, transport, at)
    if (transport === 'worked') lane.answeredAt = at
    if (transport === 'unknown') return
    lane.recent.push(endedCall(failure, at, lane.recent.at(-1)))
    if (lane.recent.length > RECENT_CALLS) lane.recent.shift()
  }

  /** How many endpoints are paused. */
  openCircuits(): number {
    let open = 0
    for (const { circuit } of this.#lanes.values()) if (circuit.isOpen) open += 1
    return open
  }

  healthOf(endpoint: Endpoint, now: number): Health {
    const lane = this.#knownLane(endpoint)
    return lane?.circuit.isOpen ? 'unreachable' : judgeHealth(recentOf(lane, now))
  }

  /** Why the health is what it is, in words for the owner; null where there is nothing to mend. */
  healthNote(endpoint: Endpoint, now: number): string | null {
    const lane = this.#knownLane(endpoint)
    const note = explainHealth(recentOf(lane, now))
    return lane?.circuit.isOpen ? `${note ?? ''} Calls are paused for a moment.`.trim() : note
  }

  /** Whether a probe is due: nothing was answered for a minute, and no probe was sent for 30 s. Notes that one is sent. */
  claimProbe(target: Endpoint, now: number): boolean {
    const lane = this.#laneOf(target, now)
    if (now - lane.answeredAt < SILENCE_MS || now - lane.probedAt < PROBE_EVERY_MS) return false
    lane.probedAt = now
    return true
  }

  #knownLane({ runtimeId, endpoint }: Endpoint): Lane | null {
    const lane = this.#lanes.get(runtimeId)
    return lane?.endpoint === endpoint ? lane : null
  }

  // A runtime with a new endpoint begins anew: what the old address did says nothing about it.
  #laneOf({ runtimeId, endpoint }: Endpoint, now: number): Lane {
    const known = this.#knownLane({ runtimeId, endpoint })
    const lane = known ?? newLane(endpoint)
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

function recentOf(lane: Lane | null, now: number): EndedCall[] {
  return lane?.recent.filter((call) => call.at > now - MEMORY_MS) ?? []
}

function newLane(endpoint: string): Lane {
  return {
    endpoint,
    address: addressOf(endpoint),
    circuit: new Circuit(),
    recent: [],
    underWay: 0,
    usedAt: 0,
    answeredAt: Number.NEGATIVE_INFINITY,
    probedAt: Number.NEGATIVE_INFINITY,
    workedSecret: null,
  }
}

// Checked at registration too; here because this is the way that the signature and the end user's token would leave.
function addressOf(endpoint: string): Address | null {
  if (endpointProblem(endpoint) !== null) return null
  const { origin, pathname, search } = new URL(endpoint)
  return { origin, path: pathname + search }
}
