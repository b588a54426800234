import { expect, test } from 'vitest'
import { NodeFailureDetector } from '../../src/executions/node-failure-detector.ts'

const LEASE_MS = 30_000
const RENEWAL_MS = 10_000
const HOUR_MS = 3_600_000

/** Two nodes that renew every ten seconds by clocks of their own, one of which stops after `diesAt`. */
function watchFor(durationMs: number, { diesAt, stepMs }: { diesAt: number; stepMs: (elapsed: number) => number }) {
  const detector = new NodeFailureDetector({ leaseMs: LEASE_MS, renewalMs: RENEWAL_MS })
  const dead: [number, string][] = []
  const renewing: [number, number][] = []
  for (let elapsed = 0; elapsed <= durationMs; elapsed += RENEWAL_MS) {
    const leases = [
      { nodeId: 'living', until: elapsed + LEASE_MS },
      { nodeId: 'dying', until: Math.min(elapsed, diesAt) + LEASE_MS },
    ]
    const classified = detector.classify(leases, { now: elapsed + stepMs(elapsed), elapsed })
    renewing.push([elapsed, classified.renewing.length])
    dead.push(...classified.dead.map(({ nodeId }): [number, string] => [elapsed, nodeId]))
  }
  return { dead, renewing }
}

const deathOf = (dead: [number, string][], nodeId: string) => dead.find(([, name]) => name === nodeId)?.[0]

test.each([
  ['that is right', () => 0, 70_000],
  ['that is set forward by an hour', (elapsed: number) => (elapsed >= 20_000 ? HOUR_MS : 0), 50_000],
  ['that is set back by an hour', (elapsed: number) => (elapsed >= 20_000 ? -HOUR_MS : 0), 70_000],
] as const)('by a clock %s the node that stopped is dead a lease later, and the other never', (_, stepMs, expected) => {
  const { dead, renewing } = watchFor(300_000, { diesAt: 30_000, stepMs })
  expect(deathOf(dead, 'dying')).toBe(expected)
  expect(deathOf(dead, 'living')).toBeUndefined()
  // The rate limit is shared by those that renew, long before the others' leases end.
  expect(renewing.find(([, count]) => count === 1)?.[0]).toBe(50_000)
  expect(renewing.at(-1)?.[1]).toBe(1)
})

test('a lease that ran out before it was first seen is that of a dead node', () => {
  const detector = new NodeFailureDetector({ leaseMs: LEASE_MS, renewalMs: RENEWAL_MS })
  const lease = { nodeId: 'old', until: 99 }
  expect(detector.classify([lease], { now: 100, elapsed: 0 })).toEqual({ dead: [lease], renewing: [] })
})
