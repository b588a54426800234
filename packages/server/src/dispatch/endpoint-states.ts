import { endpointProblem, type Health } from '@svc/contract'
import { ExpiringMap } from '../lib/expiring-map.ts'
import type { Secret } from '../secrets/secret.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { type CallFailure, FAILURES } from './failures.ts'
import { explainHealth, type HealthSample, healthSample, judgeHealth, judgeReachability } from './health.ts'

const MAX_RECENT_CALLS = 20
const MEMORY_MS = 15 * 60_000
const SILENCE_MS = 60_000
const PROBE_INTERVAL_MS = 30_000
// Another replica may have reported otherwise meanwhile.
const REPORT_INTERVAL_MS = 60_000

export interface Endpoint {
  runtimeId: string
  endpoint: string
}

/** Where requests go: the origin that connections are pooled by, and the path with its query. */
export interface Address {
  readonly origin: string
  readonly path: string
}

/** The remembered state of one endpoint of a runtime: a candidate may have its own. */
export interface EndpointState {
  /** Null where the address may not be called. */
  readonly address: Address | null
  readonly circuit: CircuitBreaker
  /** How the last calls ended, oldest first. */
  readonly recent: HealthSample[]
  callsInFlight: number
  answeredAt: number
  probedAt: number
  workedSecret: Secret | null
  /** The reachability that was last reported, and when. */
  reported: { isReachable: boolean; at: number } | null
}

export interface Permit {
  readonly state: EndpointState
  readonly address: Address
  readonly circuitVersion: number
}

/** The calls in flight, the circuit and the health of each endpoint of a runtime, forgotten after a quarter of an hour. */
export class EndpointStates {
  readonly #states: ExpiringMap<string, EndpointState>
  readonly #maxCalls: number

  constructor({ maxCalls = 50, maxSize = 5_000 } = {}) {
    this.#maxCalls = maxCalls
    this.#states = new ExpiringMap({ ttlMs: MEMORY_MS, maxSize })
  }

  get size(): number {
    return this.#states.size
  }

  acquire(endpoint: Endpoint, now: number): Permit | CallFailure {
    const state = this.#openState(endpoint, now)
    const { address } = state
    if (address === null) return FAILURES.refusedAddress
    if (state.callsInFlight >= this.#maxCalls) return FAILURES.busy
    const circuitVersion = state.circuit.acquire(now)
    if (circuitVersion === null) return FAILURES.paused
    state.callsInFlight += 1
    return { state, address, circuitVersion }
  }

  /** To be called once for each permit, with the failure of its call, if it failed. */
  release({ state, circuitVersion }: Permit, failure: CallFailure | null, at: number): void {
    const transport = failure?.transport ?? 'worked'
    state.callsInFlight -= 1
    state.circuit.release(circuitVersion, transport, at)
    if (transport === 'worked') state.answeredAt = at
    if (transport === 'ignored') return
    state.recent.push(healthSample(failure, at, state.recent.at(-1)))
    if (state.recent.length > MAX_RECENT_CALLS) state.recent.shift()
  }

  /** Whether the endpoint answers, if that changed or was last reported a minute ago; else null. Counts it as reported. */
  takeReachability({ state }: Permit, now: number): boolean | null {
    const isReachable = judgeReachability(state.recent)
    const last = state.reported
    if (isReachable === null || (last?.isReachable === isReachable && now - last.at < REPORT_INTERVAL_MS)) return null
    state.reported = { isReachable, at: now }
    return isReachable
  }

  openCircuits(): number {
    let open = 0
    for (const { circuit } of this.#states.values()) if (circuit.isOpen) open += 1
    return open
  }

  healthOf(endpoint: Endpoint, now: number): Health {
    const state = this.#stateOf(endpoint, now)
    return state?.circuit.isOpen ? 'unreachable' : judgeHealth(recentCalls(state, now))
  }

  /** The reason of the health, for the owner; null where nothing needs fixing. */
  healthNote(endpoint: Endpoint, now: number): string | null {
    const state = this.#stateOf(endpoint, now)
    const note = explainHealth(recentCalls(state, now))
    return state?.circuit.isOpen ? `${note ?? ''} Calls are paused for a moment.`.trim() : note
  }

  /** True where nothing was answered for a minute and no probe was sent for 30 s. Counts the probe as sent. */
  claimProbe(endpoint: Endpoint, now: number): boolean {
    const state = this.#openState(endpoint, now)
    if (now - state.answeredAt < SILENCE_MS || now - state.probedAt < PROBE_INTERVAL_MS) return false
    state.probedAt = now
    return true
  }

  #stateOf({ runtimeId, endpoint }: Endpoint, now: number): EndpointState | undefined {
    return this.#states.get(`${runtimeId} ${endpoint}`, now)
  }

  // A changed endpoint starts with an empty state.
  #openState({ runtimeId, endpoint }: Endpoint, now: number): EndpointState {
    const known = this.#stateOf({ runtimeId, endpoint }, now)
    if (known) return known
    const state = newState(endpoint)
    this.#states.set(`${runtimeId} ${endpoint}`, state, now)
    return state
  }
}

function recentCalls(state: EndpointState | undefined, now: number): HealthSample[] {
  return state?.recent.filter((call) => call.at > now - MEMORY_MS) ?? []
}

function newState(endpoint: string): EndpointState {
  return {
    address: addressOf(endpoint),
    circuit: new CircuitBreaker(),
    recent: [],
    callsInFlight: 0,
    answeredAt: Number.NEGATIVE_INFINITY,
    probedAt: Number.NEGATIVE_INFINITY,
    workedSecret: null,
    reported: null,
  }
}

/** Null where it may not be called: checked again, because signatures and end-user tokens are sent here. */
export function addressOf(endpoint: string): Address | null {
  if (endpointProblem(endpoint) !== null) return null
  const { origin, pathname, search } = new URL(endpoint)
  return { origin, path: pathname + search }
}
