import type { Transport } from './failures.ts'

const WINDOW_MS = 30_000
const SLOT_MS = 1000
const CALLS_TO_JUDGE = 10
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 5 * 60_000

interface Slot {
  at: number
  calls: number
  failures: number
}

interface Closed {
  kind: 'closed'
  slots: Slot[]
}

interface Open {
  kind: 'open'
  until: number
  pauseMs: number
}

interface Probing {
  kind: 'probing'
  pauseMs: number
}

/** Leave to make one call. It is the state that gave it, so a call that ends in a later state is known by it. */
export type CircuitPass = Closed | Probing

/**
 * Spares an endpoint that does not answer: half of ten or more calls failed within 30 s opens it for 15 s, then one
 * call tries it. While such probes fail the pause doubles, up to five minutes. Times are handed in.
 */
export class Circuit {
  #state: Closed | Open | Probing = closed()

  get isOpen(): boolean {
    return this.#state.kind !== 'closed'
  }

  /** Null while calls are paused. Every pass has to be handed back to {@link end}. */
  enter(now: number): CircuitPass | null {
    const state = this.#state
    if (state.kind === 'closed') return state
    if (state.kind === 'probing' || now < state.until) return null
    const probing: Probing = { kind: 'probing', pauseMs: state.pauseMs }
    this.#state = probing
    return probing
  }

  /** Counts how a call went. A call from before the last change of state says nothing about the endpoint of now. */
  end(pass: CircuitPass, transport: Transport, now: number): void {
    if (pass !== this.#state) return
    if (pass.kind === 'probing') this.#state = afterProbe(pass, transport, now)
    else if (transport !== 'unknown') this.#state = afterCall(pass, transport, now)
  }
}

function closed(): Closed {
  return { kind: 'closed', slots: [] }
}

function afterProbe({ pauseMs }: Probing, transport: Transport, now: number): Closed | Open {
  if (transport === 'worked') return closed()
  // A probe that was called off has shown nothing: the next call probes again.
  if (transport === 'unknown') return { kind: 'open', until: now, pauseMs }
  const longer = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  return { kind: 'open', until: now + longer, pauseMs: longer }
}

function afterCall(state: Closed, transport: Transport, now: number): Closed | Open {
  count(state.slots, transport === 'failed', now)
  let calls = 0
  let failures = 0
  for (const slot of state.slots) {
    calls += slot.calls
    failures += slot.failures
  }
  if (calls < CALLS_TO_JUDGE || failures * 2 < calls) return state
  return { kind: 'open', until: now + FIRST_PAUSE_MS, pauseMs: FIRST_PAUSE_MS }
}

// Counted by the second: at most thirty slots, however many calls there are.
function count(slots: Slot[], hasFailed: boolean, now: number): void {
  const at = now - (now % SLOT_MS)
  while (slots[0] && slots[0].at <= now - WINDOW_MS) slots.shift()
  let slot = slots.at(-1)
  if (slot?.at !== at) {
    slot = { at, calls: 0, failures: 0 }
    slots.push(slot)
  }
  slot.calls += 1
  if (hasFailed) slot.failures += 1
}
