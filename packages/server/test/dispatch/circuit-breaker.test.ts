import { describe, expect, test } from 'vitest'
import { CircuitBreaker } from '../../src/dispatch/circuit-breaker.ts'
import type { Transport } from '../../src/dispatch/failures.ts'

function acquire(circuit: CircuitBreaker, now: number): number {
  const version = circuit.acquire(now)
  if (version === null) throw new Error(`The circuit let no call through at ${now}.`)
  return version
}

function run(circuit: CircuitBreaker, transports: readonly Transport[], now: number): void {
  for (const transport of transports) circuit.release(acquire(circuit, now), transport, now)
}

function opened(now: number): CircuitBreaker {
  const circuit = new CircuitBreaker()
  run(circuit, Array(10).fill('failed'), now)
  return circuit
}

describe('a closed circuit', () => {
  test('nine failures in a row do not open it, the tenth does', () => {
    const circuit = new CircuitBreaker()
    run(circuit, Array(9).fill('failed'), 0)
    expect(circuit.isOpen).toBe(false)
    run(circuit, ['failed'], 0)
    expect(circuit.isOpen).toBe(true)
    expect(circuit.acquire(0)).toBeNull()
  })

  // holds CON-10
  test('half of ten calls is enough, less than half is not', () => {
    const half = new CircuitBreaker()
    run(half, [...Array(5).fill('worked'), ...Array(5).fill('failed')], 0)
    expect(half.isOpen).toBe(true)
    const less = new CircuitBreaker()
    run(less, [...Array(600).fill('worked'), ...Array(599).fill('failed')], 0)
    expect(less.isOpen).toBe(false)
  })

  // holds CON-10
  test('failures that lie thirty seconds back are forgotten', () => {
    const circuit = new CircuitBreaker()
    run(circuit, Array(9).fill('failed'), 0)
    run(circuit, ['failed'], 30_000)
    expect(circuit.isOpen).toBe(false)
    const within = new CircuitBreaker()
    run(within, Array(9).fill('failed'), 0)
    run(within, ['failed'], 29_999)
    expect(within.isOpen).toBe(true)
  })

  test('cancelled calls do not count', () => {
    const circuit = new CircuitBreaker()
    run(circuit, [...Array(100).fill('ignored'), ...Array(9).fill('failed')], 0)
    expect(circuit.isOpen).toBe(false)
  })
})

describe('an open circuit', () => {
  // holds CON-10
  test('it lets nothing through for fifteen seconds, then exactly one probe', () => {
    const circuit = opened(1000)
    expect(circuit.acquire(15_999)).toBeNull()
    expect(circuit.acquire(16_000)).not.toBeNull()
    expect(circuit.acquire(16_000)).toBeNull()
    expect(circuit.isOpen).toBe(true)
  })

  test('a probe that works closes it, with a clean record', () => {
    const circuit = opened(0)
    circuit.release(acquire(circuit, 15_000), 'worked', 15_001)
    expect(circuit.isOpen).toBe(false)
    run(circuit, Array(9).fill('failed'), 15_002)
    expect(circuit.isOpen).toBe(false)
  })

  // holds CON-10
  test('while probes fail the pause doubles, up to five minutes', () => {
    const circuit = opened(0)
    let now = 15_000
    for (const pause of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      circuit.release(acquire(circuit, now), 'failed', now)
      expect(circuit.acquire(now + pause - 1)).toBeNull()
      now += pause
    }
    circuit.release(acquire(circuit, now), 'worked', now)
    run(circuit, Array(10).fill('failed'), now)
    expect(circuit.acquire(now + 14_999)).toBeNull()
    expect(circuit.acquire(now + 15_000)).not.toBeNull()
  })

  test('a cancelled probe leaves the next call to probe, with the pause as it was', () => {
    const circuit = opened(0)
    circuit.release(acquire(circuit, 15_000), 'ignored', 15_500)
    const probe = acquire(circuit, 15_500)
    circuit.release(probe, 'failed', 16_000)
    expect(circuit.acquire(45_999)).toBeNull()
    expect(circuit.acquire(46_000)).not.toBeNull()
  })

  test('calls from before it opened cannot close it, nor end its probe', () => {
    const circuit = new CircuitBreaker()
    const early = Array.from({ length: 20 }, () => acquire(circuit, 0))
    for (const version of early.slice(0, 10)) circuit.release(version, 'failed', 1)
    for (const version of early.slice(10, 15)) circuit.release(version, 'worked', 2)
    expect(circuit.isOpen).toBe(true)
    const probe = acquire(circuit, 15_001)
    for (const version of early.slice(15)) circuit.release(version, 'worked', 15_002)
    expect(circuit.acquire(15_003)).toBeNull()
    circuit.release(probe, 'failed', 15_004)
    expect(circuit.isOpen).toBe(true)
  })
})
