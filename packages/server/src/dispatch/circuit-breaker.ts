import type { Transport } from './failures.ts'

const WINDOW_MS = 30_000
const SLOT_MS = 1000
const MIN_CALLS = 10
const FIRST_PAUSE_MS = 15_000
const MAX_PAUSE_MS = 5 * 60_000

/**
 * A circuit breaker: opens for 15 s where half of ten or more calls failed within 30 s, then lets one call through. While
 * such calls fail the pause doubles, up to five minutes.
 */
export class CircuitBreaker {
  /** 0 while the circuit is closed. */
  #pauseMs = 0
  #pausedUntil = 0
  /** Grows with each change of the state: a call that began in an earlier state does not count. */
  #version = 1
  /** Calls of one second each: at most thirty slots. */
  readonly #slots: { at: number; calls: number; failures: number }[] = []

  get isOpen(): boolean {
    return this.#pauseMs > 0
  }

  /** The version of the state, which {@link release} takes back; null while calls are paused. */
  acquire(now: number): number | null {
    if (this.isOpen && now < this.#pausedUntil) return null
    // Half-open: no other call passes until this one has ended.
    if (this.isOpen) this.#change(this.#pauseMs, Number.POSITIVE_INFINITY)
    return this.#version
  }

  release(version: number, transport: Transport, now: number): void {
    if (version !== this.#version) return
    if (this.isOpen) this.#endTrial(transport, now)
    else if (transport !== 'ignored') this.#endCall(transport, now)
  }

  #change(pauseMs: number, pausedUntil: number): void {
    this.#pauseMs = pauseMs
    this.#pausedUntil = pausedUntil
    this.#version += 1
    this.#slots.length = 0
  }

  #endTrial(transport: Transport, now: number): void {
    if (transport === 'worked') return void this.#change(0, now)
    // The trial was cancelled: the next call is one.
    if (transport === 'ignored') return void this.#change(this.#pauseMs, now)
    const pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS)
    this.#change(pauseMs, now + pauseMs)
  }

  #endCall(transport: Transport, now: number): void {
    const at = now - (now % SLOT_MS)
    const slots = this.#slots
    while (slots[0] && slots[0].at <= now - WINDOW_MS) slots.shift()
    let latest = slots.at(-1)
    if (latest?.at !== at) {
      latest = { at, calls: 0, failures: 0 }
      slots.push(latest)
    }
    latest.calls += 1
    if (transport === 'failed') latest.failures += 1
    let [calls, failures] = [0, 0]
    for (const slot of slots) {
      calls += slot.calls
      failures += slot.failures
    }
    if (calls >= MIN_CALLS && failures * 2 >= calls) this.#change(FIRST_PAUSE_MS, now + FIRST_PAUSE_MS)
  }
}
